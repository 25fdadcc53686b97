import type { TransactionStatus, TransactionStatusChanged } from '@gateway/contracts'
import type { Transaction } from './transaction.ts'
import { statusChanged } from './transition.ts'

/**
 * The events of every status change so far, as they were published. Nothing of a payment is in them before its final status,
 * and nothing of what is in them changes afterwards, so the transaction as it is now tells them all.
 *
 * @param timeOf when a change happened, by its sequence
 */
export function pastEvents(transaction: Transaction, timeOf: (sequence: number) => Date): TransactionStatusChanged[] {
  return Array.from({ length: transaction.sequence }, (_, index) => {
    const sequence = index + 1
    const then = { ...transaction, sequence, status: statusAt(transaction, sequence), updatedAt: timeOf(sequence) }
    if (sequence === transaction.sequence) return statusChanged(then)
    return statusChanged({ ...then, method: null, rrn: null, payer: null, failureReason: null })
  })
}

/** The first is always `Initiate`, and there is only `Pending` between it and an end (design, section 4). */
function statusAt({ status, sequence: last }: Transaction, sequence: number): TransactionStatus {
  if (sequence === last) return status
  return sequence === 1 ? 'Initiate' : 'Pending'
}
