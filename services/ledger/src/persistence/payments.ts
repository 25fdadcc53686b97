import type { Connection, mongo } from 'mongoose'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection } from '@gateway/service-kit/mongo'
import { isNewer, type Payment } from '../domain/payment.ts'
import { paymentModel, toDocument, toPayment, type PaymentDocument } from './payment-model.ts'
import { storeNewer } from './store-newer.ts'

/** The stored payments. */
export interface Payments {
  /** Stores a copy unless a newer one is stored. Waits up to 10 ms, so that several copies share one command. */
  readonly store: (payment: Payment) => Promise<void>
  /** Stores many copies in two commands. */
  readonly storeAll: (payments: readonly Payment[]) => Promise<void>
  readonly findByOrder: (merchantId: string, orderId: string) => Promise<Payment | undefined>
  /** Removes everything, before a rebuild from nothing. */
  readonly removeAll: () => Promise<void>
}

const BATCHING = { maxBatchSize: 200, maxQueued: 5000, maxDelayMs: 10, flushAtSize: 50 } as const

export function mongoPayments(connection: Connection): Payments {
  const collection = driverCollection<PaymentDocument>(connection, paymentModel(connection).collection.name)

  async function storeAll(payments: readonly Payment[]): Promise<void> {
    await storeNewer(collection, payments.map(toDocument), { isNewer, replaceOlder })
  }

  const store = createBatcher<Payment, undefined>({
    ...BATCHING,
    run: async (payments) => {
      await storeAll(payments)
      return payments.map(() => ({ status: 'fulfilled', value: undefined }))
    },
  })

  return {
    store: async (payment) => store(payment),
    storeAll,
    async findByOrder(merchantId, orderId) {
      const found = await collection.findOne({ merchant_id: merchantId, order_id: orderId })
      return found ? toPayment(found) : undefined
    },
    async removeAll() {
      await collection.deleteMany({})
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
