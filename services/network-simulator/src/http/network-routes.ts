import { type Request, type Response, Router } from 'express'
import {
  compile,
  listPayments,
  NETWORK_PATHS,
  reversalKey,
  reversalRequest,
  startPayment,
  TRANSACTION_ID_PATTERN,
  ValidationFailed,
  type EnquiryResponse,
} from '@gateway/contracts'
import { requireBearer } from '@gateway/service-kit/http'
import { reportOf } from '../domain/payment.ts'
import type { Enquire } from '../use-cases/enquire.ts'
import type { ReversePayment } from '../use-cases/reverse-payment.ts'
import type { BeginPayment } from '../use-cases/start-payment.ts'

export interface NetworkUseCases {
  readonly beginPayment: BeginPayment
  readonly enquire: Enquire
  readonly reversePayment: ReversePayment
  readonly now: () => Date
  /** Whether a UPI start may carry a VPA. */
  readonly upiCollect: boolean
}

export const enquiryQuerySchema = {
  type: 'object',
  required: ['tr'],
  properties: { tr: { type: 'string', pattern: TRANSACTION_ID_PATTERN } },
} as const
const enquiryQuery = compile(enquiryQuerySchema)

/** The network contract (`NETWORK_PATHS` in contracts says what each call means). */
export function networkRoutes(
  { beginPayment, enquire, reversePayment, now, upiCollect }: NetworkUseCases,
  apiKey: string,
): Router {
  return Router()
    .use('/network/v1', requireBearer(apiKey))
    .post(NETWORK_PATHS.payments, async (request, response) => {
      const body = startPayment.parse(request.body)
      requireKey(request, body.attempt_id)
      requireWebAddress(body.return_url)
      if (body.method === 'upi' && !upiCollect) throw new ValidationFailed([NO_COLLECT])
      const answer = await beginPayment(body)
      if (answer === 'cut') response.destroy()
      else if (answer === 'silent') staySilent(response)
      else response.status(201).json(answer)
    })
    .get(NETWORK_PATHS.payments, async (request, response) => {
      const { tr } = enquiryQuery.parse(request.query)
      const known = await enquire(tr)
      const listed = listPayments(known.map((payment) => reportOf(payment)))
      response.json({ tr, ...listed, as_of: now().toISOString() } satisfies EnquiryResponse)
    })
    .post(NETWORK_PATHS.reversals, async (request, response) => {
      const body = reversalRequest.parse(request.body)
      requireKey(request, reversalKey(body))
      response.json(await reversePayment(body))
    })
}

/** NPCI ended UPI collect on 2026-02-28. */
const NO_COLLECT = { field: '/method', message: 'must not be upi: a UPI payment begins with its link' }

/** How long an unanswered connection is held: longer than the gateway waits. */
const SILENCE_MS = 15_000

function staySilent(response: Response): void {
  const timer = setTimeout(() => response.destroy(), SILENCE_MS)
  response.once('close', () => clearTimeout(timer))
}

/** Throws `ValidationFailed` unless the header `idempotency-key` has this value. */
export function requireKey(request: Request, expected: string): void {
  if (request.get('idempotency-key') === expected) return
  throw new ValidationFailed([{ field: '/idempotency-key', message: `the header must be ${expected}` }])
}

/** The shopper's browser is sent to this address, so it must be an http or https address. */
function requireWebAddress(url: string): void {
  if (/^https?:\/\//iu.test(url) && URL.canParse(url)) return
  throw new ValidationFailed([{ field: '/return_url', message: 'must be an http or https address' }])
}
