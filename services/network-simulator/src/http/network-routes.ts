import { type Request, type Response, Router } from 'express'
import {
  CAPABILITIES_PATH,
  compile,
  intentRequest,
  listPayments,
  NETWORK_DOWNTIMES_PATH,
  NETWORK_INTENTS_PATH,
  NETWORK_PATHS,
  NETWORK_REFUNDS_PATH,
  networkRefundRequest,
  refundReportSchema,
  requiredFields,
  reversalKey,
  reversalRequest,
  startPayment,
  TR_PATTERN,
  ValidationFailed,
  type Capabilities,
  type Downtime,
  type EnquiryResponse,
  type RefundEnquiryResponse,
} from '@gateway/contracts'
import { requireBearer } from '@gateway/service-kit/http'
import { REFUND_WINDOW_DAYS } from '../domain/decide-refund.ts'
import { reportOf } from '../domain/payment.ts'
import type { Enquire } from '../use-cases/enquire.ts'
import type { MintIntent } from '../use-cases/mint-intent.ts'
import type { RefundPayments, ReversePayment } from '../use-cases/return-money.ts'
import type { BeginPayment } from '../use-cases/start-payment.ts'

export interface NetworkUseCases {
  readonly beginPayment: BeginPayment
  readonly enquire: Enquire
  readonly reversePayment: ReversePayment
  readonly refunds: RefundPayments
  readonly mintIntent: MintIntent
  readonly listDowntimes: () => Promise<readonly Downtime[]>
  readonly now: () => Date
}

export const TR_SCHEMA = { type: 'string', pattern: TR_PATTERN } as const
export const REFUND_ID_SCHEMA = refundReportSchema.properties.refund_id
const enquiryQuery = compile(requiredFields({ tr: TR_SCHEMA }))
const refundQuery = compile(requiredFields({ refund_id: REFUND_ID_SCHEMA }))

/** Real acquirers no longer accept UPI payments by VPA; `UPI_COLLECT` lets testers simulate one that does. */
export interface NetworkOptions {
  readonly apiKey: string
  readonly upiCollect: boolean
}

/** The network contract (contracts, `network*.ts`). */
export function networkRoutes(useCases: NetworkUseCases, { apiKey, upiCollect }: NetworkOptions): Router {
  const { beginPayment, enquire, reversePayment, refunds, mintIntent, listDowntimes, now } = useCases
  return Router()
    .use('/network/v1', requireBearer(apiKey))
    .get(CAPABILITIES_PATH, (_request, response) => {
      response.json(capabilitiesOf(upiCollect))
    })
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
    .post(NETWORK_REFUNDS_PATH, async (request, response) => {
      const body = networkRefundRequest.parse(request.body)
      requireKey(request, body.refund_id)
      const answer = await refunds.request(body)
      if (answer === 'lost') response.destroy()
      else response.json(answer)
    })
    .get(NETWORK_REFUNDS_PATH, async (request, response) => {
      const { refund_id } = refundQuery.parse(request.query)
      const found = await refunds.find(refund_id)
      response.json({ refund_id, refunds: found ? [found] : [] } satisfies RefundEnquiryResponse)
    })
    .post(NETWORK_INTENTS_PATH, async (request, response) => {
      const body = intentRequest.parse(request.body)
      requireKey(request, body.tr)
      response.json(await mintIntent(body))
    })
    .get(NETWORK_DOWNTIMES_PATH, async (_request, response) => {
      response.json(await listDowntimes())
    })
}

function capabilitiesOf(upiCollect: boolean): Capabilities {
  return {
    contract: 1,
    refunds: { window_days: REFUND_WINDOW_DAYS, partial: true },
    intents: true,
    upi_collect: upiCollect,
    downtimes: true,
    // It can be asked about a payment at any time, and as often as the contract can say.
    enquiry: { first_after_ms: 0, max: 1000 },
  }
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
function requireKey(request: Request, expected: string): void {
  if (request.get('idempotency-key') === expected) return
  throw new ValidationFailed([{ field: '/idempotency-key', message: `the header must be ${expected}` }])
}

/** The shopper's browser is sent to this address, so it must be an http or https address. */
function requireWebAddress(url: string): void {
  if (/^https?:\/\//iu.test(url) && URL.canParse(url)) return
  throw new ValidationFailed([{ field: '/return_url', message: 'must be an http or https address' }])
}
