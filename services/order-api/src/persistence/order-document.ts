import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'
import { ORDER_METHODS, ORDER_TEXT_FIELDS, orderKey, orderTextsOf } from '@gateway/contracts'
import { outboxEntrySchema, outboxIndex, toEntry, type OutboxDocument } from '@gateway/outbox'
import { orderCreatedEvent, type Order } from '../domain/order.ts'

const embedded = { _id: false, strict: 'throw' } as const
const text = { type: String, required: true } as const
/** Always stored, and may be empty, which `required` would refuse. */
const textOrEmpty = { type: String, default: '' } as const
/** Always stored; `null` when it was not given, or was purged. */
const textOrNull = { type: String, default: null } as const
const integer = { type: Number, required: true } as const
const instant = { type: Date, required: true } as const

const merchant = mongoose.Schema.create({ id: text, name: text, vpa: text, mcc: text }, embedded)
const customer = mongoose.Schema.create({ id: textOrNull, name: textOrNull, email: textOrNull, phone: textOrNull }, embedded)
const texts = mongoose.Schema.create(ORDER_TEXT_FIELDS, embedded)

/** An order as it is stored, together with its event while that is not published. */
const orderSchema = mongoose.Schema.create(
  {
    /** `<merchant id>:<order id>`: one order, however often and at once it is sent. */
    _id: text,
    transactionId: text,
    orderId: text,
    merchant: { type: merchant, required: true },
    amountPaise: integer,
    texts: { type: texts, required: true },
    customer: { type: customer, required: true },
    /** Absent until the customer is purged. */
    customerPurgedAt: { type: Date, allowNull: false },
    customerPurgedBy: { type: String, enum: ['retention', 'request'] as const, allowNull: false },
    intent: textOrEmpty,
    methods: { type: [String], enum: ORDER_METHODS, required: true },
    maxAttempts: integer,
    fingerprint: text,
    correlationId: textOrEmpty,
    createdAt: instant,
    expiresAt: instant,
    outbox: { type: [outboxEntrySchema], required: true },
  },
  { collection: 'orders', versionKey: false, strict: 'throw' },
)
orderSchema.index({ transactionId: 1 }, { unique: true, name: 'transaction_id' })
orderSchema.index(outboxIndex.key, outboxIndex.options)

export type OrderDocument = InferRawDocTypeFromSchema<typeof orderSchema>

/** The model on one connection: its schema defines the documents, for mongoose and for the driver alike. */
export function orderModel(connection: Connection) {
  return connection.model('Order', orderSchema)
}

/** The document of a new order, with its event in the outbox. */
export function toDocument(order: Order): OrderDocument & OutboxDocument {
  const {
    merchant: { id: merchantId },
    orderId,
    methods,
  } = order
  return { _id: orderKey(merchantId, orderId), ...order, methods: [...methods], outbox: [toEntry(orderCreatedEvent(order))] }
}

/** The order that a document holds. */
export function toOrder({ _id, ...fields }: Omit<OrderDocument, 'outbox'>): Order {
  const { id = null, name = null, email = null, phone = null } = fields.customer
  return { ...fields, customer: { id, name, email, phone }, texts: orderTextsOf(fields.texts) }
}
