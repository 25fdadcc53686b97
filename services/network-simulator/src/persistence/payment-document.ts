import { nextDueAt } from '../domain/callback.ts'
import type { Payment } from '../domain/payment.ts'
import type { PaymentDocument } from './payment-model.ts'

/** A payment as it is stored, with the time of its next callback. */
export function toDocument({ reference, callbacks, ...fields }: Payment): PaymentDocument {
  return { _id: reference, ...fields, callbacks: [...callbacks], nextDueAt: nextDueAt({ callbacks }) }
}

/** A stored payment. A field that may be `null` counts as `null` when it is absent. */
export function fromDocument({ _id, nextDueAt: _nextDueAt, unclear, ...stored }: PaymentDocument): Payment {
  return {
    ...stored,
    reference: _id,
    failureReason: stored.failureReason ?? null,
    payer: stored.payer ?? null,
    instrument: stored.instrument ?? null,
    start: stored.start ?? null,
    page: stored.page ? { ...stored.page, notice: stored.page.notice ?? null } : null,
    reversal: stored.reversal ?? null,
    callbacks: stored.callbacks.map((callback) => ({ ...callback, after: callback.after ?? null })),
    ...(unclear ? { unclear } : {}),
  }
}
