import type { QueryFilter } from 'mongoose'
import { firstTransactionIdAt, orderKey } from '@gateway/contracts'
import { toTransaction, type Transaction, type TransactionDocument, type TransactionModel } from '../../payments/index.ts'
import type { TransitionFilter } from './transition-list.ts'

/** Reads of whole transactions for the ledger, along the primary key and apart from those of the payment path. */
export interface PaymentPages {
  /** In the order of their ids. A caller that stops early reads no more. */
  page(filter: TransitionFilter): AsyncIterable<Transaction>
  /** In the order of their ids; unknown ids are left out. */
  byIds(ids: readonly string[]): AsyncIterable<Transaction>
  /** With the time of each status change, as far as it is stored. */
  byOrder(
    merchantId: string,
    orderId: string,
  ): Promise<{ readonly transaction: Transaction; readonly times: ReadonlyMap<number, Date> } | undefined>
}

const NOT_EXPORTED = { outbox: 0, transitions: 0, claim: 0 } as const
/** How many documents are in memory at the same time. */
const BATCH = 50

export function mongoPaymentPages(model: TransactionModel): PaymentPages {
  async function* read(filter: QueryFilter<TransactionDocument>, limit: number): AsyncGenerator<Transaction, void> {
    const query = model.find(filter, NOT_EXPORTED).sort({ _id: 1 }).limit(limit).lean<TransactionDocument>()
    for await (const document of query.cursor({ batchSize: BATCH })) yield toTransaction(document)
  }

  return {
    page({ since, until, after, limit }) {
      const range = {
        ...(since ? { $gte: firstTransactionIdAt(since) } : {}),
        ...(until ? { $lt: firstTransactionIdAt(until) } : {}),
        ...(after === undefined ? {} : { $gt: after }),
      }
      return read(Object.keys(range).length > 0 ? { _id: range } : {}, limit)
    },

    byIds: (ids) => read({ _id: { $in: [...ids] } }, ids.length),

    async byOrder(merchantId, orderId) {
      const filter = { orderKey: orderKey(merchantId, orderId) }
      const found = await model.findOne(filter, { outbox: 0, claim: 0 }).lean<TransactionDocument>()
      if (!found) return undefined
      const times = new Map(found.transitions?.map(({ sequence, at }) => [sequence, at]))
      return { transaction: toTransaction(found), times }
    },
  }
}
