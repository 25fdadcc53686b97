import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'
import { firstTransactionIdAt, orderKey, slotOfOrder, type CustomerView } from '@gateway/contracts'
import { filterByIds } from '@gateway/service-kit/mongo'
import type { PurgedBy } from '../domain/order.ts'
import { orderModel, type OrderDocument } from './order-document.ts'

/** What was done to a bounded number of orders. */
export interface PurgeStep {
  /** Orders that had their customer when they were looked at. */
  readonly found: number
  /** Those of them that no other replica purged meanwhile. */
  readonly purged: number
}

/** The personal data of customers: the one part of an order that can be purged. */
export interface Customers {
  /** Purges at most `limit` of the orders that were created in the window and have their customer. */
  purgeCreated(window: { readonly from: Date; readonly until: Date }, limit: number, now: Date): Promise<PurgeStep>
  /** Purges one order; `undefined` when it does not exist. */
  purgeOrder(merchantId: string, orderId: string, now: Date): Promise<PurgeStep | undefined>
  /** Purges the next `limit` orders of a merchant after the one with this key; `next` is missing after the last. */
  purgeMerchant(
    merchantId: string,
    page: { readonly after: string | undefined; readonly limit: number; readonly before: Date },
    now: Date,
  ): Promise<PurgeStep & { readonly next: string | undefined }>
  /** Progress of the retention sweep: every order created earlier has lost its customer. */
  purgedUpTo(): Promise<Date | undefined>
  /** Never moves the progress back. */
  setPurgedUpTo(instant: Date): Promise<void>
  /** Makes the sweep start from the first order again. */
  forgetProgress(): Promise<void>
}

/** A purged customer keeps its fields, empty: replicas of any version can read it. */
const PURGED: CustomerView = { id: null, name: null, email: null, phone: null }
const HAS_CUSTOMER = { customer_purged_at: { $exists: false } } as const

const progressSchema = mongoose.Schema.create(
  { _id: { type: String, required: true }, up_to: { type: Date, required: true } },
  { collection: 'customer_purge', versionKey: false, strict: 'throw' },
)
type ProgressDocument = InferRawDocTypeFromSchema<typeof progressSchema>
const PROGRESS: Pick<ProgressDocument, '_id'> = { _id: 'retention' }

/** The key of a stored order. */
type OrderAt = Pick<OrderDocument, '_id' | 'slot'>

export function mongoCustomers(connection: Connection): Customers {
  const orders = orderModel(connection)
  const progress = connection.model('CustomerPurge', progressSchema)

  async function purge(found: readonly OrderAt[], now: Date, by: PurgedBy): Promise<PurgeStep> {
    if (found.length === 0) return { found: 0, purged: 0 }
    const change = { $set: { customer: PURGED, customer_purged_at: now, customer_purged_by: by } }
    const { modifiedCount } = await orders.updateMany({ ...filterByIds(found), ...HAS_CUSTOMER }, change)
    return { found: found.length, purged: modifiedCount }
  }

  return {
    async purgeCreated({ from, until }, limit, now) {
      const created = { transaction_id: { $gte: firstTransactionIdAt(from), $lt: firstTransactionIdAt(until) } }
      const found = await orders
        .find({ ...created, ...HAS_CUSTOMER }, { slot: 1 })
        .limit(limit)
        .lean<OrderDocument[]>()
      return purge(found, now, 'retention')
    },
    async purgeOrder(merchantId, orderId, now) {
      const key = { slot: slotOfOrder(merchantId, orderId), _id: orderKey(merchantId, orderId) }
      const found = await orders.findOne(key, { customer_purged_at: 1 }).lean<OrderDocument>()
      return found ? purge(found.customer_purged_at ? [] : [key], now, 'request') : undefined
    },
    async purgeMerchant(merchantId, { after, limit, before }, now) {
      // `;` follows `:` and so bounds this merchant's keys; along the primary key every page costs the same.
      const range = { $gt: after ?? orderKey(merchantId, ''), $lt: `${merchantId};` }
      const fields = { slot: 1, created_at: 1, customer_purged_at: 1 } as const
      const page = await orders.find({ _id: range }, fields).sort({ _id: 1 }).limit(limit).lean<OrderDocument[]>()
      const wanted = page.filter(({ created_at, customer_purged_at }) => !customer_purged_at && created_at < before)
      const step = await purge(wanted, now, 'request')
      return { ...step, next: page.length < limit ? undefined : page.at(-1)?._id }
    },
    purgedUpTo: async () => (await progress.findOne(PROGRESS).lean())?.up_to,
    async setPurgedUpTo(instant) {
      await progress.updateOne(PROGRESS, { $max: { up_to: instant } }, { upsert: true })
    },
    async forgetProgress() {
      await progress.deleteOne(PROGRESS)
    },
  }
}
