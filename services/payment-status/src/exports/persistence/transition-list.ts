import { firstTransactionIdAt } from '@gateway/contracts'
import type { TransactionDocument, TransactionModel } from '../../payments/index.ts'

export interface TransitionFilter {
  /** Bounds of the transaction's creation, as its id tells it: `since` is included, `until` is not. */
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  /** The last transaction of the page before. */
  readonly after?: string | undefined
  /** Transactions per page. */
  readonly limit: number
}

/** What is stored about the status changes of one transaction. */
export type TransactionHistory = Pick<
  TransactionDocument,
  '_id' | 'order' | 'status' | 'sequence' | 'updatedAt' | 'finalAt' | 'outbox' | 'transitions' | 'refunds'
>

/** A page of transactions in the order of their ids: along the primary key, so that every page costs the same. */
export type ListHistories = (filter: TransitionFilter) => Promise<TransactionHistory[]>

const FIELDS = {
  'order.merchant.id': 1,
  status: 1,
  sequence: 1,
  updatedAt: 1,
  finalAt: 1,
  'outbox.id': 1,
  transitions: 1,
  refunds: 1,
}

export function mongoListHistories(model: TransactionModel): ListHistories {
  return async ({ since, until, after, limit }) => {
    const range = {
      ...(since ? { $gte: firstTransactionIdAt(since) } : {}),
      ...(until ? { $lt: firstTransactionIdAt(until) } : {}),
      ...(after === undefined ? {} : { $gt: after }),
    }
    const filter = Object.keys(range).length > 0 ? { _id: range } : {}
    return model.find(filter, FIELDS).sort({ _id: 1 }).limit(limit).lean<TransactionHistory[]>()
  }
}
