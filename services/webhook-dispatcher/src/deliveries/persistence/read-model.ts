import type { Connection } from 'mongoose'
import { slotOfOrder } from '@gateway/contracts'
import type { Delivery } from '../domain/delivery.ts'
import { deliveryCollection, toDelivery, type DeliveryDocument } from './delivery-document.ts'

const WEBHOOK_FIELDS = { merchant_id: 1, sequence: 1, body: 1, created_at: 1 } as const
type WebhookRow = Pick<DeliveryDocument, '_id' | keyof typeof WEBHOOK_FIELDS>
const AUDITED_FIELDS = { ...WEBHOOK_FIELDS, status: 1, dead_reason: 1, next_attempt_at: 1, claimed_until: 1 } as const
type AuditedRow = Pick<DeliveryDocument, '_id' | keyof typeof AUDITED_FIELDS>

/** The webhook of a payment, as it was recorded: the same bytes that the delivery sends. */
export type RecordedWebhook = Pick<Delivery, 'id' | keyof typeof WEBHOOK_FIELDS>

/** The fields of a record that the audit compares. */
export interface AuditedDelivery extends Omit<AuditedRow, '_id' | 'body'> {
  readonly id: string
  /** The id of the transaction, or of the refund: the delivery's id without its sequence. */
  readonly subject: string
  /** The status in the body that is sent; `null` when the body has none. */
  readonly sentStatus: string | null
}

/** Delivery ids: `$gt` and `$lt` are excluded, `$gte` and `$lte` included. */
export type IdRange = Partial<Record<'$gt' | '$gte' | '$lt' | '$lte', string>>

export type DeliveryReadModel = ReturnType<typeof mongoDeliveryReadModel>

const OLDEST_FIRST = { created_at: 1, _id: 1 } as const
/** More than the changes of a payment and of as many refunds as it can have. */
const MAX_OF_ORDER = 100

/** What other rooms read of the records. */
export function mongoDeliveryReadModel(connection: Connection) {
  const deliveries = deliveryCollection(connection)
  return {
    /** The deliveries of one order and its refunds, without the answers of receivers, which make a record 60 KiB long. */
    async ofOrder(merchantId: string, orderId: string): Promise<Delivery[]> {
      const filter = { merchant_id: merchantId, order_id: orderId, slot: slotOfOrder(merchantId, orderId) }
      const found = deliveries.find(filter, { projection: { 'attempts.response_excerpt': 0 } })
      return (await found.sort({ _id: 1 }).limit(MAX_OF_ORDER).toArray()).map(toDelivery)
    },

    /** For the audit, ordered by id. */
    async inRange(range: IdRange, limit: number): Promise<AuditedDelivery[]> {
      const filter = Object.keys(range).length > 0 ? { _id: range } : {}
      const found = deliveries.find(filter, { projection: AUDITED_FIELDS })
      return (await found.sort({ _id: 1 }).limit(limit).toArray()).map(toAudited)
    },

    /** The ids of a merchant's webhooks of payments created at `from` or later, and before `to` if that is given; the oldest first. */
    async webhookIds(merchantId: string, from: Date, to: Date | undefined): Promise<string[]> {
      const filter = { merchant_id: merchantId, created_at: { $gte: from, ...(to && { $lt: to }) }, channel: 'payment' } as const
      const found = await deliveries
        .find(filter, { projection: { _id: 1 } })
        .sort(OLDEST_FIRST)
        .toArray()
      return found.map(({ _id }) => _id)
    },

    /** The oldest first. */
    async webhooks(ids: readonly string[]): Promise<RecordedWebhook[]> {
      const found = deliveries.find({ _id: { $in: [...ids] } }, { projection: WEBHOOK_FIELDS }).sort(OLDEST_FIRST)
      return (await found.toArray()).map(({ _id: id, ...webhook }: WebhookRow) => ({ id, ...webhook }))
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

function toAudited({ _id: id, body, ...row }: AuditedRow): AuditedDelivery {
  return { id, subject: id.slice(0, id.lastIndexOf('.')), ...row, sentStatus: statusIn(body) }
}

/** The body is what this service has written; a damaged one has no status. */
function statusIn(body: string): string | null {
  try {
    const sent = JSON.parse(body) as { readonly status?: unknown; readonly data?: { readonly status?: unknown } | null } | null
    const status = sent?.data?.status ?? sent?.status
    return typeof status === 'string' ? status : null
  } catch {
    return null
  }
}
