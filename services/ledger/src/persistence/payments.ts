import type { Connection, mongo } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import { isNewer, isOldest, type NewPayment, type Payment } from '../domain/payment.ts'
import { paymentModel, toDocument, toPayment, type PaymentDocument } from './payment-model.ts'
import { mongoRrns } from './rrns.ts'
import { storeNewer } from './store-newer.ts'

/** The stored payments. */
export interface Payments {
  /** Stores a copy of each payment unless a newer one is stored. */
  readonly storeAll: (payments: readonly NewPayment[]) => Promise<void>
  readonly findByOrder: (merchantId: string, orderId: string) => Promise<Payment | undefined>
  /** Removes everything, before a rebuild from nothing. */
  readonly removeAll: () => Promise<void>
}

export function mongoPayments(connection: Connection): Payments {
  const collection = driverCollection<PaymentDocument>(connection, paymentModel(connection).collection.name)
  const rrns = mongoRrns(connection)
  return {
    async storeAll(payments) {
      const copies = storeNewer(collection, payments.map(toDocument), { isNewer, replaceOlder, isOldest })
      await Promise.all([copies, rrns.storeAll(payments)])
    },
    async findByOrder(merchantId, orderId) {
      const found = await collection.findOne({ merchant_id: merchantId, order_id: orderId })
      return found ? toPayment(found) : undefined
    },
    async removeAll() {
      await Promise.all([collection.deleteMany({}), rrns.removeAll()])
    },
  }
}

/** Changes nothing when the stored copy is as new or newer. */
function replaceOlder({ _id, ...fields }: PaymentDocument): mongo.AnyBulkWriteOperation<PaymentDocument>[] {
  const { sequence, version } = fields
  const isOlder = [{ sequence: { $lt: sequence } }, { sequence, version: { $lt: version } }]
  const absent = (['rrn', 'payer_hash'] as const).filter((name) => fields[name] === undefined)
  const $unset = Object.fromEntries(absent.map((name) => [name, '' as const]))
  return [{ updateOne: { filter: { _id, $or: isOlder }, update: { $set: fields, ...(absent.length > 0 ? { $unset } : {}) } } }]
}
