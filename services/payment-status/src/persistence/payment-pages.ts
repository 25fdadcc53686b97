import { firstTransactionIdAt, orderKey } from '@gateway/contracts'
import type { Transaction } from '../domain/transaction.ts'
import type { TransactionDocument, TransactionModel } from './transaction-document.ts'
import { toTransaction } from './transaction-mapping.ts'
import type { TransitionFilter } from './transition-list.ts'

/** Reads of whole transactions for the ledger, along the primary key and apart from those of the payment path. */
export interface PaymentPages {
  page(filter: TransitionFilter): Promise<Transaction[]>
  byIds(ids: readonly string[]): Promise<Transaction[]>
  /** With the time of each status change, as far as it is stored. */
  byOrder(
    merchantId: string,
    orderId: string,
  ): Promise<{ readonly transaction: Transaction; readonly times: ReadonlyMap<number, Date> } | undefined>
}

const NOT_EXPORTED = { outbox: 0, transitions: 0, claim: 0 } as const

export function mongoPaymentPages(model: TransactionModel): PaymentPages {
  return {
    async page({ since, until, after, limit }) {
      const range = {
        ...(since ? { $gte: firstTransactionIdAt(since) } : {}),
        ...(until ? { $lt: firstTransactionIdAt(until) } : {}),
        ...(after === undefined ? {} : { $gt: after }),
      }
      const filter = Object.keys(range).length > 0 ? { _id: range } : {}
      const found = await model.find(filter, NOT_EXPORTED).sort({ _id: 1 }).limit(limit).lean<TransactionDocument[]>()
      return found.map(toTransaction)
    },

    async byIds(ids) {
      const found = await model.find({ _id: { $in: [...ids] } }, NOT_EXPORTED).lean<TransactionDocument[]>()
      return found.map(toTransaction)
    },

    async byOrder(merchantId, orderId) {
      const filter = { orderKey: orderKey(merchantId, orderId) }
      const found = await model.findOne(filter, { outbox: 0, claim: 0 }).lean<TransactionDocument>()
      if (!found) return undefined
      const times = new Map(found.transitions?.map(({ sequence, at }) => [sequence, at]))
      return { transaction: toTransaction(found), times }
    },
  }
}
