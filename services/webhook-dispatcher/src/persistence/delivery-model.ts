import mongoose, { type Connection, type Model } from 'mongoose'
import {
  ATTEMPT_ERRORS,
  DEAD_REASONS,
  DELIVERY_STATUSES,
  type AttemptError,
  type DeadReason,
  type DeliveryStatus,
} from '../domain/delivery.ts'

export const DELIVERIES = 'deliveries'

export interface AttemptDocument {
  number: number
  at: Date
  duration_ms: number
  status_code: number | null
  error: AttemptError | null
  /** Absent in what was recorded before addresses were. */
  address?: string | null
  response_excerpt: string | null
}

export interface DeliveryDocument {
  /** The event's id. */
  _id: string
  merchant_id: string
  order_id: string
  transaction_id: string
  sequence: number
  correlation_id: string
  /** The very text that is sent and signed, on every attempt. */
  body: string
  url: string | null
  original_url: string | null
  status: DeliveryStatus
  /** Only while `retrying`. */
  next_attempt_at: Date | null
  dead_reason: DeadReason | null
  attempt_count: number
  round_start: number
  attempts: AttemptDocument[]
  /** Of the latest attempt: its status code, or its error. For operators' lists; absent in what is older than this field. */
  last_result?: string | null
  /** `null` while `retrying`, so that retention never takes what is still to be delivered. */
  finished_at?: Date | null
  /** Until then nobody but the claim's holder makes the next attempt; in the past when there is no claim. */
  claimed_until: Date
  /** Asked for while an attempt was running: where one more goes as soon as that is recorded. */
  resend_url: string | null
  /** When the status changed; records of earlier versions do not say it. */
  occurred_at?: Date
  created_at: Date
}

const attemptSchema = new mongoose.Schema<AttemptDocument>(
  {
    number: Number,
    at: Date,
    duration_ms: Number,
    status_code: Number,
    error: { type: String, enum: [...ATTEMPT_ERRORS, null] },
    address: String,
    response_excerpt: String,
  },
  { _id: false },
)

const deliverySchema = new mongoose.Schema<DeliveryDocument>(
  {
    _id: String,
    merchant_id: String,
    order_id: String,
    transaction_id: String,
    sequence: Number,
    correlation_id: String,
    body: String,
    url: String,
    original_url: String,
    status: { type: String, enum: DELIVERY_STATUSES },
    next_attempt_at: Date,
    dead_reason: { type: String, enum: [...DEAD_REASONS, null] },
    attempt_count: Number,
    round_start: Number,
    attempts: [attemptSchema],
    last_result: String,
    finished_at: Date,
    claimed_until: Date,
    resend_url: String,
    occurred_at: Date,
    created_at: Date,
  },
  { versionKey: false, collection: DELIVERIES },
)
// A merchant's list, newest first; the same of one order.
deliverySchema.index({ merchant_id: 1, created_at: -1, _id: -1 })
deliverySchema.index({ merchant_id: 1, order_id: 1, created_at: -1, _id: -1 })
// The sweep and the operator look at few of many.
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
