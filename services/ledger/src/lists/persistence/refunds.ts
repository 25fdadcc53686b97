import type { Connection } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import { storeNewerOfMerchants } from '../../common/index.ts'
import type { ListFilter, ListPage } from '../domain/list.ts'
import { refundKey, type LedgerRefund } from '../domain/refund.ts'
import { pageOf, readFew, readNewest } from './read-list.ts'

/** Sorts after every position, because a position begins with a year. */
const NEWEST = '~'

export type Refunds = ReturnType<typeof mongoRefunds>

/** The stored refunds. */
export function mongoRefunds(connection: Connection) {
  const collection = driverCollection<LedgerRefund>(connection, 'refunds')
  return {
    /** Stores a copy of each refund unless a newer one is stored. */
    storeAll: (refunds: readonly LedgerRefund[]): Promise<void> => storeNewerOfMerchants(collection, refunds),
    /** A position is the part of an `_id` after the merchant's id. */
    list: async (filter: ListFilter, before: string | undefined = NEWEST, limit: number): Promise<ListPage<LedgerRefund>> => {
      const { merchantId, from, to, equal } = filter
      const end = to && to.toISOString() < before ? to.toISOString() : before
      const _id = { $gte: refundKey(merchantId, from?.toISOString() ?? ''), $lt: refundKey(merchantId, end) }
      const { order_id, refund_id } = equal
      const [limits, isExact] = [{ wanted: limit + 1 }, order_id !== undefined || refund_id !== undefined]
      const found = isExact
        ? await readFew(collection, order_id === undefined ? { refund_id } : { order_id }, _id, filter, limits)
        : await readNewest(collection, _id, filter, limits)
      return pageOf(found, filter, limit)
    },
    /** Removes all refunds before a complete rebuild. */
    async removeAll(): Promise<void> {
      await collection.deleteMany({})
    },
  }
}
