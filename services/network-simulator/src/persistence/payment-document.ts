import { nextDueAt } from '../domain/callback.ts'
import type { Payment } from '../domain/payment.ts'
import type { Refund } from '../domain/refund.ts'
import type { PaymentDocument } from './payment-model.ts'

/** A payment as it is stored, with the time of its next callback. */
export function toDocument({ reference, callbacks, refunds, ...fields }: Payment): PaymentDocument {
  const stored = { ...fields, callbacks: [...callbacks], nextDueAt: nextDueAt({ callbacks }) }
  return { _id: reference, ...stored, ...(refunds ? { refunds: [...refunds] } : {}) }
}

/** A stored payment. A field that may be `null` counts as `null` when it is absent. */
export function fromDocument({
  _id,
  nextDueAt: _nextDueAt,
  unclear,
  refundBehaviour,
  refunds,
  ...stored
}: PaymentDocument): Payment {
  return {
    ...stored,
    reference: _id,
    failureReason: stored.failureReason ?? null,
    payer: stored.payer ?? null,
    instrument: stored.instrument ?? null,
    start: stored.start ?? null,
    page: stored.page ? { ...stored.page, notice: stored.page.notice ?? null } : null,
    reversal: stored.reversal ?? null,
    callbacks: stored.callbacks.map(({ refund, ...callback }) => ({
      ...callback,
      after: callback.after ?? null,
      ...(refund ? { refund } : {}),
    })),
    ...(unclear ? { unclear } : {}),
    ...(refundBehaviour ? { refundBehaviour } : {}),
    ...(refunds ? { refunds: refunds.map(toRefund) } : {}),
  }
}

function toRefund(stored: NonNullable<PaymentDocument['refunds']>[number]): Refund {
  return { ...stored, pendingReason: stored.pendingReason ?? null, failure: stored.failure ?? null, next: stored.next ?? null }
}
