import type { Connection } from 'mongoose'
import type { AuditedDelivery } from '../domain/audit.ts'
import { deliveryModel, type DeliveryDocument } from './delivery-model.ts'

/** Transaction ids: `after` and `before` are excluded, `from` and `upTo` included. */
export interface TransactionRange {
  readonly after: string | undefined
  readonly from: string | undefined
  readonly upTo: string | undefined
  readonly before: string | undefined
}

/** The records of a range of transactions, ordered by transaction, along the primary key. */
export type ListDeliveriesOf = (range: TransactionRange, limit: number) => Promise<AuditedDelivery[]>

const FIELDS = {
  transaction_id: 1,
  sequence: 1,
  merchant_id: 1,
  status: 1,
  dead_reason: 1,
  next_attempt_at: 1,
  claimed_until: 1,
  body: 1,
  created_at: 1,
} as const

type Row = Pick<DeliveryDocument, '_id' | keyof typeof FIELDS>

/** The character after the dot of `<transaction id>.<sequence>`: greater than every record of the transaction, less than all others. */
const AFTER_DOT = '/'

export function mongoListDeliveriesOf(connection: Connection): ListDeliveriesOf {
  const deliveries = deliveryModel(connection)
  return async ({ after, from, upTo, before }, limit) => {
    const bounds = {
      ...(after === undefined ? {} : { $gt: after + AFTER_DOT }),
      ...(from === undefined ? {} : { $gte: from }),
      ...(upTo === undefined ? {} : { $lte: upTo + AFTER_DOT }),
      ...(before === undefined ? {} : { $lt: before }),
    }
    const filter = Object.keys(bounds).length > 0 ? { _id: bounds } : {}
    const found = await deliveries.find(filter, FIELDS).sort({ _id: 1 }).limit(limit).lean<Row[]>()
    return found.map(toAudited)
  }
}

function toAudited(row: Row): AuditedDelivery {
  return {
    id: row._id,
    transactionId: row.transaction_id,
    sequence: row.sequence,
    merchantId: row.merchant_id,
    status: row.status,
    deadReason: row.dead_reason ?? null,
    nextAttemptAt: row.next_attempt_at ?? null,
    claimedUntil: row.claimed_until,
    sentStatus: statusIn(row.body),
    createdAt: row.created_at,
  }
}

/** The body is what this service has written; a damaged one has no status. */
function statusIn(body: string): string | null {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null && 'status' in parsed ? String(parsed.status) : null
  } catch {
    return null
  }
}
