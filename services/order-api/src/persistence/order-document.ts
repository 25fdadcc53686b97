import mongoose, { type Connection } from 'mongoose'
import { orderKey, orderTextsOf, ownSlotOf } from '@gateway/contracts'
import { outboxIndex, toEntry, type OutboxDocument } from '@gateway/outbox'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'
import { orderCreatedEvent, type Order } from '../domain/order.ts'

/** An order as it is stored, with its unpublished event. Its `_id` is `<merchant id>:<order id>`, so there is one. */
export interface OrderDocument extends Order, OutboxDocument {}

/** It declares the indexes. Documents are made from the domain's types, so that it need not describe their fields once more. */
const orderSchema = new mongoose.Schema<OrderDocument>(
  { _id: { type: String, required: true } },
  { collection: 'orders', versionKey: false, strict: false, strictQuery: false },
)
// Not unique: MongoDB shards by `slot` and `_id`, and no unique index may lack them. Ids are random enough.
orderSchema.index({ transaction_id: 1 }, { name: 'transaction_id' })
orderSchema.index(outboxIndex.key, outboxIndex.options)

/** The model on one connection. */
export function orderModel(connection: Connection) {
  return connection.model('Order', orderSchema)
}

/** The document of a new order, with its event in the outbox. */
export function toDocument(order: Order): OrderDocument {
  return {
    _id: orderKey(order.merchant.id, order.order_id),
    slot: ownSlotOf(order.transaction_id),
    ...order,
    outbox: [toEntry(orderCreatedEvent(order))],
  }
}

/** The order that a document holds. A document may be older than a text of the order. */
export function toOrder({ _id, slot, ...fields }: Omit<OrderDocument, 'outbox'>): Order {
  return { ...fields, texts: orderTextsOf(fields.texts) }
}

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [indexesOfModel(orderModel(connection))]
}
