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
  channel: 1,
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
  return async (range, limit) => {
    const filter = { ...boundsOf(range, AFTER_DOT), channel: { $exists: false } }
    const found = await deliveries.find(filter, FIELDS).sort({ _id: 1 }).limit(limit).lean<Row[]>()
    return found.map(toAudited)
  }
}

/** The records of all refunds of a range of transactions, read in parts of `ROWS_PER_READ`. */
export type ListRefundDeliveriesOf = (range: TransactionRange) => Promise<AuditedDelivery[]>

const ROWS_PER_READ = 2000

/** The letter after the `R` of `<transaction id>R<nn>.<sequence>`. */
const AFTER_REFUNDS = 'S'

export function mongoListRefundDeliveriesOf(connection: Connection): ListRefundDeliveriesOf {
  const deliveries = deliveryModel(connection)
  return async (range) => {
    const all: AuditedDelivery[] = []
    const inRange = { ...boundsOf(range, AFTER_REFUNDS), channel: 'refund' as const }
    for (let last: string | undefined; ;) {
      const filter = last === undefined ? inRange : { $and: [inRange, { _id: { $gt: last } }] }
      const found = await deliveries.find(filter, FIELDS).sort({ _id: 1 }).limit(ROWS_PER_READ).lean<Row[]>()
      all.push(...found.map(toAudited))
      if (found.length < ROWS_PER_READ) return all
      last = found.at(-1)?._id
    }
  }
}

/** @param end sorts behind everything that follows a transaction's id in the ids of its own records */
function boundsOf({ after, from, upTo, before }: TransactionRange, end: string) {
  const bounds = {
    ...(after === undefined ? {} : { $gt: after + end }),
    ...(from === undefined ? {} : { $gte: from }),
    ...(upTo === undefined ? {} : { $lte: upTo + end }),
    ...(before === undefined ? {} : { $lt: before }),
  }
  return Object.keys(bounds).length > 0 ? { _id: bounds } : {}
}

function toAudited(row: Row): AuditedDelivery {
  return {
    id: row._id,
    // The audit compares refunds as it compares transactions: by the part of the id before the sequence.
    transactionId: row.channel === 'refund' ? row._id.slice(0, row._id.lastIndexOf('.')) : row.transaction_id,
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
    if (!isObject(parsed)) return null
    const told = 'data' in parsed && isObject(parsed.data) ? parsed.data : parsed
    return 'status' in told ? String(told.status) : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
