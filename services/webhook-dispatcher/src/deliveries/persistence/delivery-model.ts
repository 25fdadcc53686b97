import mongoose, { type Connection, type InferRawDocType, type Model } from 'mongoose'
import { ATTEMPT_ERRORS } from '@gateway/contracts'
import { CHANNELS } from '../../endpoints/index.ts'
import { DEAD_REASONS, DELIVERY_STATUSES } from '../domain/delivery.ts'

export const DELIVERIES = 'deliveries'

const text = { type: String, required: true } as const
const number = { type: Number, required: true } as const
const instant = { type: Date, required: true } as const

const attemptFields = {
  number,
  at: instant,
  duration_ms: number,
  status_code: Number,
  error: { type: String, enum: [...ATTEMPT_ERRORS.keys()] },
  address: String,
  response_excerpt: String,
} as const

const attemptSchema = new mongoose.Schema(attemptFields, { _id: false, strict: 'throw' })

const resendFields = {
  at: instant,
  url: String,
  attempt_count: number,
  dead_reason: { type: String, enum: DEAD_REASONS },
} as const
const resendSchema = new mongoose.Schema(resendFields, { _id: false, strict: 'throw' })

const deliveryFields = {
  /** The event's id. */
  _id: text,
  channel: { type: String, enum: CHANNELS, required: true },
  merchant_id: text,
  order_id: text,
  transaction_id: text,
  sequence: number,
  correlation_id: text,
  /** The exact text that is signed and sent, on every attempt. */
  body: text,
  url: String,
  original_url: String,
  status: { type: String, enum: DELIVERY_STATUSES, required: true },
  /** Only while `retrying`. */
  next_attempt_at: Date,
  dead_reason: { type: String, enum: DEAD_REASONS },
  attempt_count: number,
  round_start: number,
  attempts: { type: [attemptSchema], required: true },
  resends: { type: [resendSchema], required: true },
  /** Status code or error of the latest attempt, for operators' lists; `null` before the first. */
  last_result: String,
  /** `null` while `retrying`, so that the retention index never removes an open delivery. */
  finished_at: Date,
  /** Until then only the holder of the claim makes the next attempt. In the past when there is no claim. */
  claimed_until: instant,
  /** A resend asked for while an attempt was running: the URL of one more attempt once that one is recorded. */
  resend_url: String,
  /** When the status changed. */
  occurred_at: instant,
  created_at: instant,
} as const

export type DeliveryDocument = InferRawDocType<typeof deliveryFields>
export type AttemptDocument = DeliveryDocument['attempts'][number]
export type ResendDocument = DeliveryDocument['resends'][number]

const deliverySchema = new mongoose.Schema(deliveryFields, { versionKey: false, collection: DELIVERIES, strict: 'throw' })
// A merchant's list, newest first; the same for one order.
deliverySchema.index({ merchant_id: 1, created_at: -1, _id: -1 })
deliverySchema.index({ merchant_id: 1, order_id: 1, created_at: -1, _id: -1 })
// The sweep and operators' lists read few of many records.
deliverySchema.index({ next_attempt_at: 1 }, { name: 'sweep', partialFilterExpression: { status: 'retrying' } })
const newestFirst = { created_at: -1, _id: -1 } as const
for (const status of ['dead', 'retrying'] as const) {
  const only = { partialFilterExpression: { status } }
  deliverySchema.index(newestFirst, { name: status, ...only })
  deliverySchema.index({ merchant_id: 1, ...newestFirst }, { name: `${status}_of_merchant`, ...only })
}

export function deliveryModel(connection: Connection): Model<DeliveryDocument> {
  return connection.model<DeliveryDocument>('Delivery', deliverySchema)
}
