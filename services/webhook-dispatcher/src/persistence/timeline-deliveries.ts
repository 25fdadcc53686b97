import type { Connection } from 'mongoose'
import type { Delivery } from '../domain/delivery.ts'
import { toDelivery } from './delivery-mapping.ts'
import { deliveryModel, type DeliveryDocument } from './delivery-model.ts'

/** The deliveries of one transaction, by sequence, along the primary key. */
export type FindDeliveriesOf = (transactionId: string) => Promise<Delivery[]>

/** A transaction has three status changes at most; the bound is for ids that are none. */
const MAX_DELIVERIES = 20

export function mongoFindDeliveriesOf(connection: Connection): FindDeliveriesOf {
  const deliveries = deliveryModel(connection)
  return async (transactionId) => {
    // `/` is the character after the dot of `<transaction id>.<sequence>`.
    const filter = { _id: { $gte: `${transactionId}.`, $lt: `${transactionId}/` } }
    const found = await deliveries.find(filter).sort({ _id: 1 }).limit(MAX_DELIVERIES).lean<DeliveryDocument[]>()
    return found.map(toDelivery)
  }
}
