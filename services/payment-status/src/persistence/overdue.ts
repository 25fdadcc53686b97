import type { mongo } from 'mongoose'
import { isFinal } from '@gateway/contracts'
import type { Transaction } from '../domain/transaction.ts'
import type { TransactionDocument } from './transaction-model.ts'

/** Transactions that wait for the network beyond what is usual. */
export interface Overdue {
  /** The order has ended, and no answer says whether it was paid. */
  readonly enquiries: number
  /** Money is to go back, and no answer says that it has. */
  readonly reversals: number
}

/** Of those that have waited since before `since`; each number is at most `LIMIT`. */
export type CountOverdue = (since: Date) => Promise<Overdue>

const LIMIT = 1000
const WITHIN_MS = 1000

/**
 * Since when a transaction waits for an answer that a person may have to get: kept in the document, so that the few which do
 * are found by an index of their own. Almost none does, and those are not in it.
 */
export function waitsSince({ status, closing, reversals }: Transaction): Date | undefined {
  const ended = closing && !isFinal(status) ? [closing.at] : []
  const owed = reversals.filter((reversal) => reversal.status === 'pending').map(({ requestedAt }) => requestedAt)
  const [first] = [...ended, ...owed].toSorted((one, other) => one.getTime() - other.getTime())
  return first
}

export function mongoCountOverdue(collection: mongo.Collection<TransactionDocument>): CountOverdue {
  return async (since) => {
    // The index is used only by a query that says so (docs/adr/0005).
    const waiting = { waitsSince: { $exists: true, $lte: since } }
    const options = { limit: LIMIT, maxTimeMS: WITHIN_MS }
    const [enquiries, reversals] = await Promise.all([
      collection.countDocuments({ ...waiting, status: { $in: ['Initiate', 'Pending'] } }, options),
      collection.countDocuments({ ...waiting, 'reversals.status': 'pending' }, options),
    ])
    return { enquiries, reversals }
  }
}

/** When the transaction was due that has waited longest for a replica to take it; `undefined` when none waits. */
export type FindOldestDue = (now: Date) => Promise<Date | undefined>

export function mongoFindOldestDue(collection: mongo.Collection<TransactionDocument>): FindOldestDue {
  return async (now) => {
    const options = { sort: { dueAt: 1 }, projection: { dueAt: 1 }, maxTimeMS: WITHIN_MS } as const
    return (await collection.findOne({ dueAt: { $exists: true, $lte: now } }, options))?.dueAt
  }
}
