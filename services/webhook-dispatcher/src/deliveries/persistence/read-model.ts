import type { Connection } from 'mongoose'
import type { DeadReason, Delivery, DeliveryStatus } from '../domain/delivery.ts'
import { toDelivery } from './delivery-mapping.ts'
import { deliveryModel, type DeliveryDocument } from './delivery-model.ts'

/** The fields of a record that the audit compares. */
export interface AuditedDelivery {
  readonly id: string
  /** The id of the transaction, or of the refund: the delivery's id without its sequence. */
  readonly subject: string
  readonly sequence: number
  readonly merchantId: string
  readonly status: DeliveryStatus
  readonly deadReason: DeadReason | null
  readonly nextAttemptAt: Date | null
  readonly claimedUntil: Date
  /** The status in the body that is sent; `null` when the body has none. */
  readonly sentStatus: string | null
  readonly createdAt: Date
}

/** The webhook of a payment, as it was recorded. */
export interface RecordedWebhook {
  /** The event's id, which is also the `webhook-id`. */
  readonly id: string
  readonly merchantId: string
  readonly sequence: number
  /** The same bytes that the delivery sends. */
  readonly body: string
  readonly createdAt: Date
}

/** Delivery ids: `$gt` and `$lt` are excluded, `$gte` and `$lte` included. */
export type IdRange = Partial<Record<'$gt' | '$gte' | '$lt' | '$lte', string>>

export type DeliveryReadModel = ReturnType<typeof mongoDeliveryReadModel>

const WEBHOOK_FIELDS = { merchant_id: 1, sequence: 1, body: 1, created_at: 1 } as const
type WebhookRow = Pick<DeliveryDocument, '_id' | keyof typeof WEBHOOK_FIELDS>
const AUDITED_FIELDS = { ...WEBHOOK_FIELDS, status: 1, dead_reason: 1, next_attempt_at: 1, claimed_until: 1 } as const
type AuditedRow = Pick<DeliveryDocument, '_id' | keyof typeof AUDITED_FIELDS>

const OLDEST_FIRST = { created_at: 1, _id: 1 } as const
/** More than the changes of a transaction and of as many refunds as it can have. */
const MAX_OF_TRANSACTION = 100

/** What other rooms read of the records. */
export function mongoDeliveryReadModel(connection: Connection) {
  const deliveries = deliveryModel(connection)
  return {
    /** The deliveries of one transaction and its refunds, without the answers of receivers, which make a record 60 KiB long. */
    async ofTransaction(transactionId: string): Promise<Delivery[]> {
      const filter = { _id: { $gte: `${transactionId}.`, $lt: endOfTransaction(transactionId) }, transaction_id: transactionId }
      const found = await deliveries
        .find(filter, { 'attempts.response_excerpt': 0 })
        .sort({ _id: 1 })
        .limit(MAX_OF_TRANSACTION)
        .lean<DeliveryDocument[]>()
      return found.map(toDelivery)
    },

    /** For the audit, ordered by id. */
    async inRange(range: IdRange, limit: number): Promise<AuditedDelivery[]> {
      const filter = Object.keys(range).length > 0 ? { _id: range } : {}
      const found = await deliveries.find(filter, AUDITED_FIELDS).sort({ _id: 1 }).limit(limit).lean<AuditedRow[]>()
      return found.map(toAudited)
    },

    /** The ids of a merchant's webhooks of payments created at `from` or later, and before `to` if that is given; the oldest first. */
    async webhookIds(merchantId: string, from: Date, to: Date | undefined): Promise<string[]> {
      const range = { $gte: from, ...(to && { $lt: to }) }
      const filter = { merchant_id: merchantId, created_at: range, channel: 'payment' } as const
      const found = await deliveries.find(filter, { _id: 1 }).sort(OLDEST_FIRST).lean<Pick<DeliveryDocument, '_id'>[]>()
      return found.map(({ _id }) => _id)
    },

    /** The oldest first. */
    async webhooks(ids: readonly string[]): Promise<RecordedWebhook[]> {
      const found = await deliveries
        .find({ _id: { $in: [...ids] } }, WEBHOOK_FIELDS)
        .sort(OLDEST_FIRST)
        .lean<WebhookRow[]>()
      return found.map(toWebhook)
    },
  }
}

/** Sorts after the ids `<transaction id>.<sequence>` and `<transaction id>R<nn>.<sequence>`, and before those of later transactions. */
export function endOfTransaction(transactionId: string): string {
  return `${transactionId}S`
}

/** Sorts after the ids `<subject>.<sequence>`, and before those of later subjects. */
export function endOfSubject(subject: string): string {
  return `${subject}/`
}

function toWebhook({ _id: id, merchant_id: merchantId, sequence, body, created_at: createdAt }: WebhookRow): RecordedWebhook {
  return { id, merchantId, sequence, body, createdAt }
}

function toAudited(row: AuditedRow): AuditedDelivery {
  const { body, ...webhook } = toWebhook(row)
  return {
    ...webhook,
    subject: row._id.slice(0, row._id.lastIndexOf('.')),
    status: row.status,
    deadReason: row.dead_reason ?? null,
    nextAttemptAt: row.next_attempt_at ?? null,
    claimedUntil: row.claimed_until,
    sentStatus: statusIn(body),
  }
}

/** The body is what this service has written; a damaged one has no status. */
function statusIn(body: string): string | null {
  try {
    const parsed: unknown = JSON.parse(body)
    if (!isObject(parsed)) return null
    const sent = 'data' in parsed && isObject(parsed.data) ? parsed.data : parsed
    return 'status' in sent ? String(sent.status) : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
