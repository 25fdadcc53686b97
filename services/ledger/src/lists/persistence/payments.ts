import type { Connection, mongo } from 'mongoose'
import { driverCollection, storedIds } from '@gateway/service-kit/mongo'
import { insertAbsent, storeNewerOfMerchants } from '../../common/index.ts'
import { transactionIdOf, type NewPayment, type Payment } from '../domain/payment.ts'

export type Payments = ReturnType<typeof mongoPayments>

/** The stored payments. */
export function mongoPayments(connection: Connection) {
  const collection = driverCollection<Payment>(connection, 'payments')
  const rrns = mongoRrns(connection)
  return {
    /** Stores a copy of each payment unless a newer one is stored. */
    async storeAll(payments: readonly NewPayment[]): Promise<void> {
      const copies = payments.map(({ payment }) => payment)
      await Promise.all([storeNewerOfMerchants(collection, copies), rrns.storeAll(payments)])
    },
    findByOrder: (merchantId: string, orderId: string): Promise<Payment | null> =>
      collection.findOne({ merchant_id: merchantId, order_id: orderId }),
    /** Removes everything, before a rebuild from nothing. */
    async removeAll(): Promise<void> {
      await Promise.all([collection.deleteMany({}), rrns.removeAll()])
    },
  }
}

/** `_id` is `<merchant id>:<rrn>:<transaction id>`: the payments of a number are a range of the primary key, in the order of creation. */
interface RrnDocument extends mongo.Document {
  readonly _id: string
}

/** Numbers in one command: a payment may have thousands. */
const AT_ONCE = 1000

export type Rrns = ReturnType<typeof mongoRrns>

/** The numbers under which banks know payments. A payment may have many of them, and several payments may have the same. */
export function mongoRrns(connection: Connection) {
  const collection = driverCollection<RrnDocument>(connection, 'payment_rrns')
  return {
    async storeAll(payments: readonly NewPayment[]): Promise<void> {
      const keys = payments.flatMap(({ payment, rrns }) =>
        rrns.map((rrn) => rrnKey(payment.merchant_id, rrn, transactionIdOf(payment))),
      )
      const all = [...new Set(keys)]
      for (let first = 0; first < all.length; first += AT_ONCE) {
        const some = all.slice(first, first + AT_ONCE)
        const isStored = await storedIds(collection, some)
        await insertAbsent(
          collection,
          some.filter((_id) => !isStored.has(_id)).map((_id) => ({ _id })),
        )
      }
    },
    /** The newest transactions with this number whose ids are in the range, at most `limit`. */
    async find(
      merchantId: string,
      rrn: string,
      { from, before }: { from: string; before: string },
      limit: number,
    ): Promise<string[]> {
      const _id = { $gte: rrnKey(merchantId, rrn, from), $lt: rrnKey(merchantId, rrn, before) }
      const found = await collection.find({ _id }).sort({ _id: -1 }).limit(limit).toArray()
      return found.map((document) => document._id.slice(rrnKey(merchantId, rrn, '').length))
    },
    async removeAll(): Promise<void> {
      await collection.deleteMany({})
    },
  }
}

function rrnKey(merchantId: string, rrn: string, transactionId: string): string {
  return `${merchantId}:${rrn}:${transactionId}`
}
