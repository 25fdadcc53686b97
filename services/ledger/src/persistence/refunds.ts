import type { Connection } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { LedgerRefund, RefundFilter } from '../domain/refund.ts'
import { refundKey, refundModel, toRefund, toRefundDocument, type RefundDocument } from './refund-model.ts'
import { storeNewer } from './store-newer.ts'

/** The stored refunds. */
export interface Refunds {
  /** Stores a copy of each refund unless a newer one is stored, in two commands. */
  readonly storeAll: (refunds: readonly LedgerRefund[]) => Promise<void>
  readonly read: ReadRefunds
  /** Removes all refunds before a complete rebuild. */
  readonly removeAll: () => Promise<void>
}

/**
 * The refunds of a merchant within the filter's times, before a position, newest first. The query also applies the conditions on
 * the order and on the merchant's own id, which match few refunds. The caller applies the other conditions.
 */
export type ReadRefunds = (filter: RefundFilter, before: string | undefined, limit: number) => Promise<LedgerRefund[]>

/** Sorts after every position, because a position begins with a year. */
const NEWEST = '~'

export function mongoRefunds(connection: Connection): Refunds {
  const collection = driverCollection<RefundDocument>(connection, refundModel(connection).collection.name)
  return {
    async storeAll(refunds) {
      await storeNewer(collection, refunds.map(toRefundDocument), {
        isNewer: (one, other) => one.version > other.version,
        replaceOlder: ({ _id, ...fields }) => [
          { updateOne: { filter: { _id, version: { $lt: fields.version } }, update: { $set: fields } } },
        ],
      })
    },

    async read({ merchantId, from, to, orderId, refundId }, before, limit) {
      const end = [before, to?.toISOString(), NEWEST].filter((bound) => bound !== undefined).toSorted()[0] ?? NEWEST
      const _id = { $gte: refundKey(merchantId, from?.toISOString() ?? ''), $lt: refundKey(merchantId, end) }
      const selective = selectiveCondition(orderId, refundId)
      if (!selective) {
        const found = await collection.find({ _id }).sort({ _id: -1 }).limit(limit).toArray()
        return found.map(toRefund)
      }
      // Few refunds match. With a range of ids, FerretDB would read all refunds of the merchant.
      const few = await collection.find({ merchant_id: merchantId, ...selective }).toArray()
      const inRange = few.filter((document) => document._id >= _id.$gte && document._id < _id.$lt)
      return inRange
        .toSorted((one, other) => (one._id > other._id ? -1 : 1))
        .slice(0, limit)
        .map(toRefund)
    },

    async removeAll() {
      await collection.deleteMany({})
    },
  }
}

/** A condition that has an index and matches few refunds. */
function selectiveCondition(orderId: string | undefined, refundId: string | undefined) {
  if (orderId !== undefined) return { order_id: orderId }
  return refundId === undefined ? undefined : { refund_id: refundId }
}
