/** The smallest connector that passes `npm run test:connector`, with refunds. README.md explains how to connect an acquirer. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import express, { type ErrorRequestHandler, type Request } from 'express'
import {
  AppError,
  CAPABILITIES_PATH,
  compile,
  listPayments,
  NETWORK_PATHS,
  NETWORK_REFUNDS_PATH,
  networkRefundRequest,
  parseUpiIntent,
  readSigningSecret,
  REFUND_ID_PATTERN,
  reversalKey,
  reversalRequest,
  sign,
  SIGNATURE_HEADERS,
  startPayment,
  TR_PATTERN,
  ValidationFailed,
  type Capabilities,
} from '@gateway/contracts'
import { openLedger } from './ledger.ts'

export interface ConnectorOptions {
  readonly port: number
  /** What the gateway sends as bearer token (`NETWORK_API_KEY`). */
  readonly apiKey: string
  /** The gateway's `/network/v1/callbacks`. */
  readonly callbackUrl: string
  /** Signs callbacks (`NETWORK_CALLBACK_SECRET`). */
  readonly callbackSecret: string
}

const CAPABILITIES: Capabilities = { contract: 1, refunds: { window_days: 180, partial: true } }
const STATUS: Readonly<Record<string, number>> = { validation_failed: 422, payment_not_found: 404, idempotency_conflict: 409 }
const byTr = compile({
  type: 'object',
  required: ['tr'],
  properties: { tr: { type: 'string', pattern: TR_PATTERN } },
})
const payerHook = compile({
  type: 'object',
  required: ['intent', 'vpa'],
  properties: { intent: { type: 'string', maxLength: 2000 }, vpa: { type: 'string', maxLength: 320 } },
})
const byRefund = compile({
  type: 'object',
  required: ['refund_id'],
  properties: { refund_id: { type: 'string', pattern: REFUND_ID_PATTERN } },
})

export function startConnector({ port, apiKey, callbackUrl, callbackSecret }: ConnectorOptions): Server {
  const ledger = openLedger()
  const report = makeReport(callbackUrl, callbackSecret)
  const app = express()
  app.use((request, response, next) => {
    if (isSame(request.get('authorization') ?? '', `Bearer ${apiKey}`)) next()
    else response.status(401).json({ code: 'unauthorized' })
  }, express.json())

  app.get(CAPABILITIES_PATH, (_request, response) => void response.json(CAPABILITIES))
  app.post(NETWORK_PATHS.payments, (request, response) => {
    const body = startPayment.parse(request.body)
    requireThat(request.get('idempotency-key') === body.attempt_id, '/idempotency-key')
    requireThat(body.method !== 'upi', '/method')
    requireThat(/^https?:\/\//u.test(body.return_url), '/return_url')
    const { report: payment, isNew } = ledger.start(body)
    if (isNew) report('', `${payment.reference}.success`, payment)
    // A connector with a bank's page returns it as `redirect_url`, with the status `pending`.
    response.status(201).json({ reference: payment.reference, status: payment.outcome, redirect_url: null, reason: null })
  })
  // A test environment only: plays the UPI app that pays a link. A real one pays at the acquirer, which then tells the connector.
  app.post('/sandbox/upi/pay', (request, response) => {
    const { intent, vpa } = payerHook.parse(request.body)
    const link = parseUpiIntent(intent)
    if (!link) throw new ValidationFailed([{ field: '/intent', message: 'is not valid' }])
    const payment = ledger.payLink(link, vpa)
    report('', `${payment.reference}.${payment.outcome}`, payment)
    response.status(202).json({ reference: payment.reference })
  })
  app.get(NETWORK_PATHS.payments, (request, response) => {
    const { tr } = byTr.parse(request.query)
    // A connector that answers from its own records says here when it last asked the acquirer.
    response.json({ tr, ...listPayments(ledger.paymentsOf(tr)), as_of: new Date().toISOString() })
  })
  app.post(NETWORK_PATHS.reversals, (request, response) => {
    const body = reversalRequest.parse(request.body)
    requireThat(request.get('idempotency-key') === reversalKey(body), '/idempotency-key')
    response.json(ledger.reverse(body))
  })
  app.post(NETWORK_REFUNDS_PATH, (request, response) => {
    const body = networkRefundRequest.parse(request.body)
    requireThat(request.get('idempotency-key') === body.refund_id, '/idempotency-key')
    const { report: refund, isNew } = ledger.refund(body)
    if (isNew) report('/refunds', `${refund.refund_id}.${refund.status}`, refund)
    response.json(refund)
  })
  app.get(NETWORK_REFUNDS_PATH, (request: Request, response) => {
    const { refund_id } = byRefund.parse(request.query)
    response.json({ refund_id, refunds: ledger.findRefund(refund_id) })
  })
  app.use(answerError)
  return app.listen(port, '127.0.0.1')
}

const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof AppError) response.status(STATUS[error.code] ?? 500).json({ code: error.code, detail: error.message })
  else if (error instanceof SyntaxError)
    response.status(422).json({ code: 'malformed_json', detail: 'The body is not valid JSON' })
  else response.status(500).json({ code: 'internal_error', detail: 'try again' })
}

const FIRST_RETRY_MS = 200
const MAX_TRIES = 15

/** Repeats a report with the same `webhook-id` until the gateway answers 200. A real connector stores the report first. */
function makeReport(url: string, secret: string) {
  const key = readSigningSecret(secret)
  return (path: '' | '/refunds', id: string, content: object): void => {
    const body = JSON.stringify(content)
    const send = async (): Promise<boolean> => {
      const timestamp = Math.floor(Date.now() / 1000)
      const headers = {
        'content-type': 'application/json',
        [SIGNATURE_HEADERS.id]: id,
        [SIGNATURE_HEADERS.timestamp]: String(timestamp),
        [SIGNATURE_HEADERS.signature]: sign(id, timestamp, body, [key]),
      }
      const answer = await fetch(url + path, { method: 'POST', body, headers, signal: AbortSignal.timeout(8000) })
      return answer.status === 200
    }
    const repeat = async (): Promise<void> => {
      for (let tries = 0; tries < MAX_TRIES && !(await send().catch(() => false)); tries++)
        await sleep(FIRST_RETRY_MS * 2 ** tries, undefined, { ref: false })
    }
    void repeat()
  }
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}

function requireThat(condition: boolean, field: string): void {
  if (!condition) throw new ValidationFailed([{ field, message: 'is not valid' }])
}

if (process.argv[1] === import.meta.filename) {
  const {
    PORT = '8095',
    NETWORK_API_KEY: apiKey,
    CALLBACK_URL: callbackUrl,
    NETWORK_CALLBACK_SECRET: callbackSecret,
  } = process.env
  if (!apiKey || !callbackUrl || !callbackSecret) throw new Error('set NETWORK_API_KEY, NETWORK_CALLBACK_SECRET and CALLBACK_URL')
  const server = startConnector({ port: Number(PORT), apiKey, callbackUrl, callbackSecret })
  const address = `http://127.0.0.1:${PORT}`
  server.on('listening', () => process.stdout.write(`the connector listens on ${address} and reports to ${callbackUrl}\n`))
}
