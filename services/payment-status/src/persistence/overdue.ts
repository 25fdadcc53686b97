import { isFinal } from '@gateway/contracts'
import type { Transaction } from '../domain/transaction.ts'
import type { TransactionModel } from './transaction-document.ts'

/** Transactions that have waited for the network for longer than usual. */
export interface Overdue {
  /** The order has ended, and no answer says whether it was paid. */
  readonly enquiries: number
  /** Money is to go back, and no answer says that it has. */
  readonly reversals: number
}

/** Counts the transactions that have waited since before `since`; each number is at most `LIMIT`. */
export type CountOverdue = (since: Date) => Promise<Overdue>

const LIMIT = 1000
const MAX_TIME_MS = 1000

/**
 * Since when an answer of the network is missing that a person may have to ask for; `undefined` when none is. Stored as
 * `waitsSince`, whose index holds only the few transactions that have it.
 */
export function awaitsNetworkSince({ status, closing, reversals }: Transaction): Date | undefined {
  const ended = closing && !isFinal(status) ? [closing.at] : []
  const owed = reversals.filter((reversal) => reversal.status === 'pending').map(({ requestedAt }) => requestedAt)
  const [first] = [...ended, ...owed].toSorted((one, other) => one.getTime() - other.getTime())
  return first
}

export function mongoCountOverdue(model: TransactionModel): CountOverdue {
  return async (since) => {
    // The partial index is used only by a query with the same $exists (docs/adr/0005).
    const waiting = { waitsSince: { $exists: true, $lte: since } }
    const options = { limit: LIMIT, maxTimeMS: MAX_TIME_MS }
    const [enquiries, reversals] = await Promise.all([
      model.countDocuments({ ...waiting, status: { $in: ['Initiate', 'Pending'] } }, options),
      model.countDocuments({ ...waiting, 'reversals.status': 'pending' }, options),
    ])
    return { enquiries, reversals }
  }
}

/** When the longest waiting due transaction became due; `undefined` when none waits for a replica. */
export type FindOldestDue = (now: Date) => Promise<Date | undefined>

export function mongoFindOldestDue(model: TransactionModel): FindOldestDue {
  return async (now) => {
    const due = { dueAt: { $exists: true, $lte: now } }
    const oldest = await model.findOne(due, { dueAt: 1 }).sort({ dueAt: 1 }).maxTimeMS(MAX_TIME_MS).lean()
    return oldest?.dueAt
  }
}
