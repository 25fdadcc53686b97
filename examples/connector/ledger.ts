/** The acquirer of this example: accepts every payment and stores it in memory. Replace it by calls to a real acquirer. */
import { randomInt, randomUUID } from 'node:crypto'
import {
  formatPaise,
  parseAmount,
  Refused,
  ValidationFailed,
  type NetworkRefundRequest,
  type NetworkReport,
  type RefundReport,
  type ReversalRequest,
  type ReversalResponse,
  type StartPayment,
  type UpiIntent,
} from '@gateway/contracts'

interface Payment {
  /** Shows whether a start is a repeat of an earlier one. Never contains card data. */
  readonly fingerprint: string
  readonly report: NetworkReport
  reversal?: { readonly request: string; readonly response: ReversalResponse }
}

interface Refund {
  readonly reference: string
  readonly request: string
  readonly report: RefundReport
}

const rrn = (): string => String(randomInt(1e11, 1e12))
const conflict = (): Refused => new Refused('idempotency_conflict', 'This key was used with another body')

/** Each function runs without an `await`, so no request sees half a change. With a database, use guarded writes instead. */
export function openLedger() {
  const payments = new Map<string, Payment>()
  // By `refund_id`, not inside the payment: a key that comes again for another payment must not refund that one, too.
  const refunds = new Map<string, Refund>()

  function find({ reference, tr }: { readonly reference: string; readonly tr: string }): Payment {
    const payment = payments.get(reference)
    if (payment?.report.tr !== tr) throw new Refused('payment_not_found', 'There is no payment with this reference')
    return payment
  }

  function refundedPaise(reference: string): number {
    const succeeded = [...refunds.values()].filter((one) => one.reference === reference && one.report.status === 'succeeded')
    return succeeded.reduce((sum, { report }) => sum + (parseAmount(report.amount) ?? 0), 0)
  }

  return {
    /** Starts one payment per attempt, even when the request is repeated. */
    start({ card, ...request }: StartPayment): { readonly report: NetworkReport; readonly isNew: boolean } {
      if (!(card ?? request.netbanking)) throw new ValidationFailed([{ field: '/', message: 'no instrument' }])
      const { attempt_id, tr, method, amount } = request
      const fingerprint = JSON.stringify([request, card?.number.slice(-4)])
      const known = payments.get(`EX-${attempt_id}`)
      if (known && known.fingerprint !== fingerprint) throw conflict()
      if (known) return { report: known.report, isNew: false }
      const reference = `EX-${attempt_id}`
      const report: NetworkReport = { reference, tr, attempt_id, outcome: 'success', amount, method, rrn: rrn() }
      payments.set(reference, { fingerprint, report })
      return { report, isNew: true }
    },

    /** A payer's app pays a link: a payment that the gateway did not start. `failure@…` is declined. */
    payLink({ transactionId: tr, amount }: UpiIntent, vpa: string): NetworkReport {
      const reference = `EX-${randomUUID()}`
      const payer = { name: 'Asha Rao', vpa }
      const outcome = vpa.startsWith('failure@') ? 'failed' : 'success'
      const report: NetworkReport = { reference, tr, outcome, amount, method: 'upi', rrn: rrn(), payer }
      payments.set(reference, { fingerprint: '', report })
      return report
    },

    paymentsOf: (tr: string): NetworkReport[] =>
      [...payments.values()].flatMap(({ report }) => (report.tr === tr ? [report] : [])),

    /** Gives the whole capture back, once. */
    reverse(request: ReversalRequest): ReversalResponse {
      const payment = find(request)
      const { reference } = request
      if (payment.reversal && payment.reversal.request !== JSON.stringify(request)) throw conflict()
      if (payment.reversal) return payment.reversal.response
      const isWhole = parseAmount(request.amount) === parseAmount(payment.report.amount) && refundedPaise(reference) === 0
      if (!isWhole) return { reference, status: 'failed', reason: 'not the whole capture' }
      const response: ReversalResponse = { reference, status: 'succeeded', reason: null, rrn: rrn() }
      payment.reversal = { request: JSON.stringify(request), response }
      return response
    },

    /** Refunds never more than the capture. Stores a refusal, because the gateway may then refund the money under another id. */
    refund(request: NetworkRefundRequest): { readonly report: RefundReport; readonly isNew: boolean } {
      const { refund_id, reference } = request
      const known = refunds.get(refund_id)
      if (known && known.request !== JSON.stringify(request)) throw conflict()
      if (known) return { report: known.report, isNew: false }
      const payment = find(request)
      const paise = parseAmount(request.amount) ?? 0
      if (paise === 0) throw new ValidationFailed([{ field: '/amount', message: 'must be at least 0.01' }])
      const left = payment.reversal ? 0 : (parseAmount(payment.report.amount) ?? 0) - refundedPaise(reference)
      const about = { refund_id, amount: formatPaise(paise) }
      const report: RefundReport =
        paise <= left
          ? { ...about, status: 'succeeded', rrn: rrn() }
          : { ...about, status: 'failed', reason_code: 'limit_exceeded', network_code: 'EXCEEDS_CAPTURE' }
      refunds.set(refund_id, { reference, request: JSON.stringify(request), report })
      return { report, isNew: true }
    },

    findRefund: (id: string): RefundReport[] => [refunds.get(id)?.report ?? []].flat(),
  }
}
