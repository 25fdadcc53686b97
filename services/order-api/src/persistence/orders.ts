import mongoose, { type Connection, type mongo } from 'mongoose'
import { orderKey } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { insertBatch } from '@gateway/service-kit/mongo'
import { outboxIndex, toEntry, type OutboxEntry, type OutboxRelay } from '@gateway/outbox'
import { orderCreatedEvent, type Order } from '../domain/order.ts'

export const ORDERS = 'orders'

/** An order as it is stored, together with its event while that is not published. */
export type OrderDocument = Order & {
  /** `<merchant id>:<order id>`: one order, however often and at once it is sent. */
  _id: string
  outbox: OutboxEntry[]
}

export interface Orders {
  /** False when this merchant has an order with this id already. Concurrent inserts go as one batch. */
  insert(order: Order): Promise<boolean>
  find(merchantId: string, orderId: string): Promise<Order | undefined>
  findByTransaction(transactionId: string): Promise<Order | undefined>
  findManyByTransaction(transactionIds: readonly string[]): Promise<Order[]>
}

const { Mixed } = mongoose.Schema.Types
const orderSchema = new mongoose.Schema(
  {
    _id: { type: String, required: true },
    transactionId: { type: String, required: true },
    orderId: { type: String, required: true },
    merchant: { type: Mixed, required: true },
    amountPaise: { type: Number, required: true },
    description: String,
    customer: Mixed,
    customerPurgedAt: Date,
    customerPurgedBy: String,
    methods: [String],
    returnUrl: String,
    maxAttempts: Number,
    udf1: String,
    udf2: String,
    udf3: String,
    fingerprint: String,
    correlationId: String,
    createdAt: Date,
    expiresAt: Date,
    outbox: [Mixed],
  },
  { collection: ORDERS, versionKey: false },
)
orderSchema.index({ transactionId: 1 }, { unique: true, name: 'transaction_id' })
orderSchema.index(outboxIndex.key, outboxIndex.options)

export function orderModel(connection: Connection) {
  return connection.model('Order', orderSchema)
}

export function mongoOrders(collection: mongo.Collection<OrderDocument>, relay: Pick<OutboxRelay, 'submit'>): Orders {
  const insert = createBatcher<OrderDocument, boolean>({
    maxBatchSize: 200,
    maxQueued: 2000,
    run: (documents) => insertBatch(collection, documents),
  })
  const withoutOutbox = { projection: { outbox: 0 } }
  return {
    async insert(order) {
      const document = toDocument(order)
      const inserted = await insert(document)
      if (inserted) relay.submit(document._id, document.outbox)
      return inserted
    },
    async find(merchantId, orderId) {
      return (await collection.findOne({ _id: orderKey(merchantId, orderId) }, withoutOutbox)) ?? undefined
    },
    async findByTransaction(transactionId) {
      return (await collection.findOne({ transactionId }, withoutOutbox)) ?? undefined
    },
    findManyByTransaction(transactionIds) {
      return collection.find({ transactionId: { $in: [...transactionIds] } }, withoutOutbox).toArray()
    },
  }
}

/** With its event, as it is inserted. */
export function toDocument(order: Order): OrderDocument {
  const event = orderCreatedEvent(order)
  return { _id: orderKey(order.merchant.id, order.orderId), ...order, outbox: [toEntry(event)] }
}
