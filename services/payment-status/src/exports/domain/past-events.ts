import { isFinal, type TransactionStatus, type TransactionStatusChanged } from '@gateway/contracts'
import { type PaymentDetails, statusChanged, type Transaction } from '../../payments/index.ts'

/**
 * The events of every status change so far, as they were published but for the copy of the payment, which is always the present one. They can be rebuilt from the transaction as it is
 * now: it keeps what the event of `Pending` told of the payment, and no field of the final event changes after it.
 *
 * @param timeOf when a change happened, by its sequence
 */
export function pastEvents(transaction: Transaction, timeOf: (sequence: number) => Date): TransactionStatusChanged[] {
  return Array.from({ length: transaction.sequence }, (_, index) => {
    const sequence = index + 1
    const then = { ...transaction, sequence, status: statusAt(transaction, sequence), updatedAt: timeOf(sequence) }
    if (isFinal(then.status)) return statusChanged(then)
    const told = then.status === 'Pending' ? transaction.toldPending : undefined
    return statusChanged({ ...then, ...(told ?? NOTHING), failureReason: null })
  })
}

const NOTHING: PaymentDetails = { method: null, rrn: null, payer: null }

/** The status after a change. The first status is `Initiate`, and only `Pending` lies between it and a final one (design, section 4). */
export function statusAt({ status, sequence: last }: Transaction, sequence: number): TransactionStatus {
  if (sequence === last) return status
  return sequence === 1 ? 'Initiate' : 'Pending'
}
