import type { Connection } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import { storeNewer } from '../../common/index.ts'
import type { NewPayment, Payment } from '../domain/payment.ts'
import { mongoRrns } from './rrns.ts'

/** The stored payments. */
export interface Payments {
  /** Stores a copy of each payment unless a newer one is stored. */
  readonly storeAll: (payments: readonly NewPayment[]) => Promise<void>
  readonly findByOrder: (merchantId: string, orderId: string) => Promise<Payment | undefined>
  /** Removes everything, before a rebuild from nothing. */
  readonly removeAll: () => Promise<void>
}

export function mongoPayments(connection: Connection): Payments {
  const collection = driverCollection<Payment>(connection, 'payments')
  const rrns = mongoRrns(connection)
  return {
    async storeAll(payments) {
      await Promise.all([
        storeNewer(
          collection,
          payments.map(({ payment }) => payment),
        ),
        rrns.storeAll(payments),
      ])
    },
    async findByOrder(merchantId, orderId) {
      return (await collection.findOne({ merchant_id: merchantId, order_id: orderId })) ?? undefined
    },
    async removeAll() {
      await Promise.all([collection.deleteMany({}), rrns.removeAll()])
    },
  }
}
