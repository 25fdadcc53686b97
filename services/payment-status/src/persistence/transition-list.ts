import type { mongo } from 'mongoose'
import { firstTransactionIdAt } from '@gateway/contracts'
import type { TransactionDocument } from './transaction-model.ts'

export interface TransitionFilter {
  /** Of the transaction's creation, as its id tells it: `since` included, `until` excluded. */
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  /** The last transaction of the page before. */
  readonly after?: string | undefined
  /** Transactions per page. */
  readonly limit: number
}

/** What is known of the status changes of one transaction. */
export type TransactionHistory = Pick<
  TransactionDocument,
  '_id' | 'order' | 'sequence' | 'updatedAt' | 'finalAt' | 'outbox' | 'transitions'
>

/** Transactions in the order of their ids: along the primary key, so that a page costs the same anywhere. */
export type ListHistories = (filter: TransitionFilter) => Promise<TransactionHistory[]>

const FIELDS = { 'order.merchant.id': 1, sequence: 1, updatedAt: 1, finalAt: 1, 'outbox.id': 1, transitions: 1 }

export function mongoListHistories(collection: mongo.Collection<TransactionDocument>): ListHistories {
  return async ({ since, until, after, limit }) => {
    const range = {
      ...(since ? { $gte: firstTransactionIdAt(since) } : {}),
      ...(until ? { $lt: firstTransactionIdAt(until) } : {}),
      ...(after === undefined ? {} : { $gt: after }),
    }
    const filter = Object.keys(range).length > 0 ? { _id: range } : {}
    return collection.find(filter).sort({ _id: 1 }).limit(limit).project<TransactionHistory>(FIELDS).toArray()
  }
}
