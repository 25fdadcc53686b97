import type { QueryFilter } from 'mongoose'
import { firstTransactionIdAt } from '@gateway/contracts'
import {
  NOT_THE_STATE,
  toTransaction,
  type Transaction,
  type TransactionDocument,
  type TransactionModel,
} from '../../payments/index.ts'

export interface PageFilter {
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
  '_id' | 'order' | 'status' | 'sequence' | 'created_at' | 'as_pending' | 'final_at' | 'outbox' | 'refunds'
>

/** Reads of other services, along the primary key, so that every page costs the same, and apart from those of the payment path. */
export interface Pages {
  /** In the order of their ids. A caller that stops early reads no more. */
  payments(filter: PageFilter): AsyncIterable<Transaction>
  histories(filter: PageFilter): Promise<TransactionHistory[]>
}

const HISTORY = {
  ...{ 'order.merchant.id': 1, status: 1, sequence: 1, created_at: 1, 'as_pending.at': 1, final_at: 1, 'outbox.id': 1 },
  refunds: 1,
} as const
/** How many documents are in memory at the same time. */
const BATCH = 50

export function mongoPages(model: TransactionModel): Pages {
  return {
    async *payments(filter) {
      const query = model.find(idsOf(filter), NOT_THE_STATE).sort({ _id: 1 }).limit(filter.limit).lean<TransactionDocument>()
      for await (const document of query.cursor({ batchSize: BATCH })) yield toTransaction(document)
    },

    histories: (filter) =>
      model.find(idsOf(filter), HISTORY).sort({ _id: 1 }).limit(filter.limit).lean<TransactionHistory[]>().exec(),
  }
}

function idsOf({ since, until, after }: PageFilter): QueryFilter<TransactionDocument> {
  const range = {
    ...(since ? { $gte: firstTransactionIdAt(since) } : {}),
    ...(until ? { $lt: firstTransactionIdAt(until) } : {}),
    ...(after === undefined ? {} : { $gt: after }),
  }
  return Object.keys(range).length > 0 ? { _id: range } : {}
}
