import { isFinal, type TransactionStatus, type TransactionStatusChanged } from '@gateway/contracts'
import { statusChanged, type PaymentDetails, type Transaction } from '../../payments/index.ts'

/**
 * The events of every status change so far, as they were published but for the copy of the payment, which is always the present one.
 * They can be rebuilt from the transaction as it is now: it keeps what the event of `Pending` said about the payment, and no field
 * of the final event changes after it.
 */
export function pastEvents(transaction: Transaction): TransactionStatusChanged[] {
  return changesOf(transaction).map(({ sequence, status, at }) => {
    const then = { ...transaction, sequence, status, updatedAt: at }
    if (isFinal(status)) return statusChanged(then)
    const { method, rrn, payer } = (status === 'Pending' ? transaction.asPending : null) ?? NOTHING
    return statusChanged({ ...then, method, rrn, payer, failureReason: null })
  })
}

const NOTHING: PaymentDetails = { method: null, rrn: null, payer: null }

export interface StatusChange {
  readonly sequence: number
  readonly status: TransactionStatus
  readonly at: Date
}

/** What the times of the status changes follow from. */
interface Changed extends Pick<Transaction, 'status' | 'sequence' | 'createdAt'> {
  readonly finalAt?: Date | null
  readonly asPending?: { readonly at: Date } | null
}

/** Every status change so far. The first status is `Initiate`, and only `Pending` lies between it and a final one (design, section 4). */
export function changesOf({ status: last, sequence: count, createdAt, asPending, finalAt }: Changed): StatusChange[] {
  return Array.from({ length: count }, (_, index) => {
    const sequence = index + 1
    if (sequence === 1) return { sequence, status: 'Initiate', at: createdAt }
    const status = sequence === count ? last : 'Pending'
    return { sequence, status, at: (isFinal(status) ? finalAt : asPending?.at) ?? createdAt }
  })
}
