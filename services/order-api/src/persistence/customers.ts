import type { Connection, mongo } from 'mongoose'
import { firstTransactionIdAt, orderKey, type CustomerView } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { PurgedBy } from '../domain/order.ts'
import type { PurgeWindow } from '../domain/purge-window.ts'
import { ORDERS, type OrderDocument } from './orders.ts'

/** What was done to a bounded number of orders. */
export interface PurgeStep {
  /** Orders whose customer was there. */
  readonly found: number
  /** Of those, the ones that nobody else purged meanwhile. */
  readonly purged: number
}

export interface Customers {
  /** At most `limit` of the orders that were created in the window and have their customer. */
  purgeCreated(window: PurgeWindow, limit: number, now: Date): Promise<PurgeStep>
  /** `undefined` when there is no such order. */
  purgeOrder(merchantId: string, orderId: string, now: Date): Promise<PurgeStep | undefined>
  /** The next `limit` orders of the merchant after the one with this key; `next` is missing after the last. */
  purgeMerchant(
    merchantId: string,
    page: { readonly after: string | undefined; readonly limit: number; readonly before: Date },
    now: Date,
  ): Promise<PurgeStep & { readonly next: string | undefined }>
  /** Every order created earlier has lost its customer. */
  purgedUpTo(): Promise<Date | undefined>
  /** Only ever later. */
  setPurgedUpTo(instant: Date): Promise<void>
  /** So that everything is looked at again. */
  forgetProgress(): Promise<void>
}

/** Present, with nothing in it: replicas of any version can read it. */
const NOBODY: CustomerView = { id: null, name: null, email: null, phone: null }
const PROGRESS = 'customer_purge'
const PROGRESS_ID = 'retention'
const HAS_CUSTOMER = { customerPurgedAt: { $exists: false } }

export function mongoCustomers(connection: Connection): Customers {
  const orders = driverCollection<OrderDocument>(connection, ORDERS)
  const progress = driverCollection<{ _id: string; upTo: Date }>(connection, PROGRESS)

  async function purge(keys: string[], now: Date, by: PurgedBy): Promise<PurgeStep> {
    if (keys.length === 0) return { found: 0, purged: 0 }
    const change = { $set: { customer: NOBODY, customerPurgedAt: now, customerPurgedBy: by } }
    const { modifiedCount } = await orders.updateMany({ _id: { $in: keys }, ...HAS_CUSTOMER }, change)
    return { found: keys.length, purged: modifiedCount }
  }

  return {
    async purgeCreated({ from, until }, limit, now) {
      const created = { transactionId: { $gte: firstTransactionIdAt(from), $lt: firstTransactionIdAt(until) } }
      return purge(await keysOf(orders.find({ ...created, ...HAS_CUSTOMER }).limit(limit)), now, 'retention')
    },
    async purgeOrder(merchantId, orderId, now) {
      const key = orderKey(merchantId, orderId)
      const found = await orders.findOne({ _id: key }, { projection: { customerPurgedAt: 1 } })
      if (!found) return undefined
      return purge(found.customerPurgedAt ? [] : [key], now, 'request')
    },
    async purgeMerchant(merchantId, { after, limit, before }, now) {
      // The character after the colon bounds the keys of this merchant; along the primary key a page costs the same anywhere.
      const range = { $gt: after ?? orderKey(merchantId, ''), $lt: `${merchantId};` }
      const page = await orders
        .find({ _id: range })
        .sort({ _id: 1 })
        .limit(limit)
        .project<Pick<OrderDocument, '_id' | 'createdAt' | 'customerPurgedAt'>>({ createdAt: 1, customerPurgedAt: 1 })
        .toArray()
      const wanted = page.filter(({ createdAt, customerPurgedAt }) => !customerPurgedAt && createdAt < before)
      const keys = wanted.map(({ _id }) => _id)
      return { ...(await purge(keys, now, 'request')), next: page.length < limit ? undefined : page.at(-1)?._id }
    },
    purgedUpTo: async () => (await progress.findOne({ _id: PROGRESS_ID }))?.upTo,
    async setPurgedUpTo(instant) {
      await progress.updateOne({ _id: PROGRESS_ID }, { $max: { upTo: instant } }, { upsert: true })
    },
    async forgetProgress() {
      await progress.deleteOne({ _id: PROGRESS_ID })
    },
  }
}

async function keysOf(cursor: mongo.FindCursor<mongo.WithId<OrderDocument>>): Promise<string[]> {
  return (await cursor.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id }) => _id)
}
