import { Router } from 'express'
import {
  compile,
  downtimeSchema,
  exactFields,
  formatPaise,
  parseAmount,
  parseUpiIntent,
  requiredFields,
  simulateRequest,
  TR_PATTERN,
  ValidationFailed,
  VPA_PATTERN,
  type Downtime,
  type SimulateResponse,
  type UpiIntent,
} from '@gateway/contracts'
import { checkBearer } from '@gateway/service-kit/http'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import { reversalAt } from '../domain/decide.ts'
import { reportOf, type Payment } from '../domain/payment.ts'
import { refundAt, refundReportOf } from '../domain/refund.ts'
import type { ResolvePayments } from '../use-cases/decide-payment.ts'
import type { PayByUpi, Simulate } from '../use-cases/pay-order.ts'
import type { RefundPayments } from '../use-cases/return-money.ts'
import { REFUND_ID_SCHEMA, TR_SCHEMA } from './network-routes.ts'

/** The downtimes that testers have set. */
export interface DowntimeList {
  readonly list: () => Promise<readonly Downtime[]>
  /** Replaces all of them. */
  readonly set: (downtimes: readonly Downtime[]) => Promise<void>
}

export interface SandboxUseCases {
  readonly payByUpi: PayByUpi
  readonly resolvePayments: ResolvePayments
  readonly refunds: RefundPayments
  /** All payments of a transaction. */
  readonly paymentsOf: (tr: string) => Promise<readonly Payment[]>
  readonly downtimes: DowntimeList
  readonly now: () => Date
}

/** A payment by a UPI app, by program or by a form. */
export const payFields = {
  intent: { type: 'string', minLength: 1, maxLength: 2000 },
  vpa: { type: 'string', pattern: VPA_PATTERN, format: 'plain-text' },
} as const
/** How a tester ends a payment or a refund. */
export const outcomeFields = { outcome: { enum: ['success', 'failure'] } } as const

const payRequest = compile(exactFields(payFields, { force: { type: 'boolean' } }))
const resolveRequest = compile(exactFields(outcomeFields))

/** A tester may leave out when it began: now. */
const downtimesOfTester = compile({
  type: 'array',
  maxItems: 100,
  items: { ...downtimeSchema, additionalProperties: false, required: ['method', 'severity'] },
} as const)

const trParameter = compile(requiredFields({ tr: TR_SCHEMA }))
const refundParameter = compile(requiredFields({ id: REFUND_ID_SCHEMA }))

const TR = new RegExp(TR_PATTERN, 'u')

/** Reads a UPI link; `undefined` when the gateway cannot have made it. */
export function readIntent(link: string): UpiIntent | undefined {
  const intent = parseUpiIntent(link)
  const isPayable = intent && TR.test(intent.transactionId) && (parseAmount(intent.amount) ?? 0) > 0
  return isPayable ? intent : undefined
}

const AN_INTENT = 'must be a UPI link made by the gateway (upi://pay?pa=…&pn=…&mc=…&tr=…&am=…)'

/**
 * Pays and resolves payments by program, and shows testers a transaction's payments. Sandbox only, so no API key is needed, except for
 * `force`: payments of unknown orders are quarantined at the gateway and alert its operators.
 */
export function sandboxRoutes(useCases: SandboxUseCases, apiKey: string): Router {
  const { payByUpi, resolvePayments, refunds, paymentsOf, downtimes, now } = useCases
  return Router()
    .post('/sandbox/upi/pay', async (request, response) => {
      const { intent: link, vpa, force = false } = payRequest.parse(request.body)
      if (force) checkBearer(request, apiKey)
      const intent = readIntent(link)
      if (!intent) throw new ValidationFailed([{ field: '/intent', message: AN_INTENT }])
      const payment = await payByUpi({ intent, vpa, force })
      response.status(202).json({ payment_id: payment.reference, status: payment.outcome })
    })
    .post('/sandbox/payments/:tr/resolve', async (request, response) => {
      const { tr } = trParameter.parse(request.params)
      const { outcome } = resolveRequest.parse(request.body)
      const resolved = await resolvePayments.resolve(tr, outcome)
      response.status(202).json({ tr, payments: resolved.map((payment) => viewOf(payment, now())) })
    })
    .post('/sandbox/refunds/:id/resolve', async (request, response) => {
      const { id } = refundParameter.parse(request.params)
      const { outcome } = resolveRequest.parse(request.body)
      response.status(202).json(await refunds.resolve(id, outcome === 'success' ? 'succeeded' : 'failed'))
    })
    .get('/sandbox/downtimes', async (_request, response) => {
      response.json(await downtimes.list())
    })
    .put('/sandbox/downtimes', async (request, response) => {
      const began_at = now().toISOString()
      const unknown = { instrument: null, ended_at: null }
      await downtimes.set(downtimesOfTester.parse(request.body).map((downtime) => ({ ...unknown, began_at, ...downtime })))
      response.json(await downtimes.list())
    })
    .get('/sandbox/payments/:tr', async (request, response) => {
      const { tr } = trParameter.parse(request.params)
      response.json({ tr, payments: (await paymentsOf(tr)).map((payment) => viewOf(payment, now())) })
    })
}

/** `POST /api/v1/sandbox/simulate`, behind the gateway: a merchant drives its own order to an outcome. */
export function simulateRoute({ simulate }: { readonly simulate: Simulate }, identify: Identify): Router {
  return Router().post('/api/v1/sandbox/simulate', async (request, response) => {
    const { merchantId } = await identify(request, 'orders')
    const { order_id, delay_ms: delayMs = 0, duplicates = 0, reorder = false, ...rest } = simulateRequest.parse(request.body)
    const payment = await simulate({ merchantId, orderId: order_id, delayMs, duplicates, reorder, ...rest })
    const answer: SimulateResponse = { data: { payment_id: payment?.reference ?? null, order_id, outcome: rest.outcome } }
    response.status(202).json(answer)
  })
}

function viewOf(payment: Payment, now: Date): object {
  const { reversal, refunds } = payment
  return {
    ...reportOf(payment),
    instrument: payment.instrument,
    created_at: payment.created_at.toISOString(),
    reversal: reversal && {
      amount: formatPaise(payment.amount_paise),
      reason: reversal.reason,
      status: reversalAt(reversal, now).status,
      requested_at: reversal.requested_at.toISOString(),
    },
    refunds: refunds.map((refund) => refundReportOf(refundAt(refund, now))),
    callbacks: payment.callbacks.map(({ outcome, refund, state, tries, due_at }) => ({
      ...(refund ? { refund_id: refund.id, status: refund.status } : { outcome }),
      state,
      tries,
      due_at: state === 'scheduled' ? due_at.toISOString() : null,
    })),
  }
}
