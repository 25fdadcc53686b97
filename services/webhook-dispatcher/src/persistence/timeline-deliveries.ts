import type { Connection } from 'mongoose'
import type { Delivery } from '../domain/delivery.ts'
import { toDelivery } from './delivery-mapping.ts'
import { deliveryModel, type DeliveryDocument } from './delivery-model.ts'

/** The deliveries of one transaction and its refunds, along the primary key. */
export type FindDeliveriesOf = (transactionId: string) => Promise<Delivery[]>

/** The timeline shows no answers of receivers, which make a record 60 KiB long. */
const PROJECTION = { 'attempts.response_excerpt': 0 } as const

/** More than the changes of a transaction and of as many refunds as it can have. */
const MAX_DELIVERIES = 100

export function mongoFindDeliveriesOf(connection: Connection): FindDeliveriesOf {
  const deliveries = deliveryModel(connection)
  return async (transactionId) => {
    // From `<transaction id>.<sequence>` to `<transaction id>R<number>.<sequence>`; a longer transaction id may lie between.
    const filter = { _id: { $gte: `${transactionId}.`, $lt: `${transactionId}S` }, transaction_id: transactionId }
    const found = await deliveries.find(filter, PROJECTION).sort({ _id: 1 }).limit(MAX_DELIVERIES).lean<DeliveryDocument[]>()
    return found.map(toDelivery)
  }
}
