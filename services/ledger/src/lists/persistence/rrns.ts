import type { Connection, mongo } from 'mongoose'
import { driverCollection, storedIds } from '@gateway/service-kit/mongo'
import { transactionIdOf, type NewPayment } from '../domain/payment.ts'
import { insertAbsent } from '../../common/index.ts'

/** `_id` is `<merchant id>:<rrn>:<transaction id>`: the payments of a number are a range of the primary key, in the order of creation. */
interface RrnDocument extends mongo.Document {
  readonly _id: string
}

/** The numbers under which banks know payments. A payment may have many of them, and several payments may have the same. */
export interface Rrns {
  readonly storeAll: (payments: readonly NewPayment[]) => Promise<void>
  /** The newest transactions with this number whose ids are in the range, at most `limit`. */
  readonly find: (
    merchantId: string,
    rrn: string,
    range: { readonly from: string; readonly before: string },
    limit: number,
  ) => Promise<string[]>
  readonly removeAll: () => Promise<void>
}

/** Numbers in one command: a payment may have thousands. */
const AT_ONCE = 1000

export function mongoRrns(connection: Connection): Rrns {
  const collection = driverCollection<RrnDocument>(connection, 'payment_rrns')
  return {
    async storeAll(payments) {
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
    async find(merchantId, rrn, { from, before }, limit) {
      const _id = { $gte: rrnKey(merchantId, rrn, from), $lt: rrnKey(merchantId, rrn, before) }
      const found = await collection.find({ _id }).sort({ _id: -1 }).limit(limit).toArray()
      return found.map((document) => document._id.slice(rrnKey(merchantId, rrn, '').length))
    },
    async removeAll() {
      await collection.deleteMany({})
    },
  }
}

function rrnKey(merchantId: string, rrn: string, transactionId: string): string {
  return `${merchantId}:${rrn}:${transactionId}`
}
