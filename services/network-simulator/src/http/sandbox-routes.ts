import { Router } from 'express'
import {
  compile,
  downtimeSchema,
  formatPaise,
  REFUND_ID_PATTERN,
  TRANSACTION_ID_PATTERN,
  ValidationFailed,
  VPA_PATTERN,
  type Downtime,
} from '@gateway/contracts'
import { checkBearer } from '@gateway/service-kit/http'
import { reversalAt } from '../domain/decide.ts'
import { reportOf, type Payment } from '../domain/payment.ts'
import { refundAt, refundReportOf } from '../domain/refund.ts'
import type { PayByUpi } from '../use-cases/pay-by-upi.ts'
import type { RefundPayments } from '../use-cases/refund-payment.ts'
import { decisionOf, type ResolvePayments } from '../use-cases/resolve-payment.ts'
import { AN_INTENT, readIntent } from './upi-intent.ts'

/** The downtimes that testers have set. */
export interface DowntimeList {
  readonly list: () => Promise<readonly Downtime[]>
  /** Replaces all of them. */
  readonly set: (downtimes: readonly Downtime[]) => Promise<void>
}

export interface SandboxUseCases {
  readonly payByUpi: PayByUpi
  readonly resolvePayments: ResolvePayments
  readonly resolveRefund: RefundPayments['resolve']
  /** All payments of a transaction. */
  readonly paymentsOf: (tr: string) => Promise<readonly Payment[]>
  readonly downtimes: DowntimeList
  readonly now: () => Date
}

const payRequest = compile({
  type: 'object',
  additionalProperties: false,
  required: ['intent', 'vpa'],
  properties: {
    intent: { type: 'string', minLength: 1, maxLength: 2000 },
    vpa: { type: 'string', pattern: VPA_PATTERN, format: 'plain-text' },
    force: { type: 'boolean' },
  },
} as const)

const resolveRequest = compile({
  type: 'object',
  additionalProperties: false,
  required: ['outcome'],
  properties: { outcome: { enum: ['success', 'failure'] } },
} as const)

/** A tester may leave out when it began: now. */
const downtimesOfTester = compile({
  type: 'array',
  maxItems: 100,
  items: { ...downtimeSchema, additionalProperties: false, required: ['method', 'severity'] },
} as const)

const trParameter = compile({
  type: 'object',
  required: ['tr'],
  properties: { tr: { type: 'string', pattern: TRANSACTION_ID_PATTERN } },
})

const refundParameter = compile({
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', pattern: REFUND_ID_PATTERN } },
})

/**
 * Pays and resolves payments by program, and shows testers a transaction's payments. Sandbox only, so no API key is needed, except for
 * `force`: payments of unknown orders are quarantined at the gateway and alert its operators.
 */
export function sandboxRoutes(useCases: SandboxUseCases, apiKey: string): Router {
  const { payByUpi, resolvePayments, resolveRefund, paymentsOf, downtimes, now } = useCases
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
      const resolved = await resolvePayments(tr, decisionOf(outcome))
      response.status(202).json({ tr, payments: resolved.map((payment) => viewOf(payment, now())) })
    })
    .post('/sandbox/refunds/:id/resolve', async (request, response) => {
      const { id } = refundParameter.parse(request.params)
      const { outcome } = resolveRequest.parse(request.body)
      response.status(202).json(await resolveRefund(id, outcome === 'success' ? 'succeeded' : 'failed'))
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

function viewOf(payment: Payment, now: Date): object {
  const { reversal, refunds } = payment
  return {
    ...reportOf(payment),
    instrument: payment.instrument,
    created_at: payment.createdAt.toISOString(),
    reversal: reversal && {
      amount: formatPaise(payment.amountPaise),
      reason: reversal.reason,
      status: reversalAt(reversal, now).status,
      requested_at: reversal.requestedAt.toISOString(),
    },
    refunds: refunds.map((refund) => refundReportOf(refundAt(refund, now))),
    callbacks: payment.callbacks.map(({ outcome, refund, state, tries, dueAt }) => ({
      ...(refund ? { refund_id: refund.id, status: refund.status } : { outcome }),
      state,
      tries,
      due_at: state === 'scheduled' ? dueAt.toISOString() : null,
    })),
  }
}
