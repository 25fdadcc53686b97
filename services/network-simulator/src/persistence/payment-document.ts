import { fromStoredNames, toStoredNames, type SnakeNames } from '@gateway/service-kit/mongo'
import { nextDueAt } from '../domain/callback.ts'
import type { Payment } from '../domain/payment.ts'

/** A payment as it is stored. `_id` is its reference. */
export type PaymentDocument = SnakeNames<Omit<Payment, 'reference'>> & {
  readonly _id: string
  /** When the next callback is due; `null` when none is left. */
  readonly next_due_at: Date | null
}

export function toDocument({ reference, ...fields }: Payment): PaymentDocument {
  return { _id: reference, ...toStoredNames(fields), next_due_at: nextDueAt(fields) }
}

export function fromDocument({ _id: reference, next_due_at: _next, ...stored }: PaymentDocument): Payment {
  return { reference, ...fromStoredNames(stored) }
}
