import type { Connection, mongo } from 'mongoose'
import { firstTransactionIdAt, transactionTime } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { ListFilter, ListPosition } from '../domain/list-filter.ts'
import type { Payment } from '../domain/payment.ts'
import { FIRST_WIDTH_MS, narrowerMs, widerMs } from '../domain/time-window.ts'
import { paymentKey, paymentModel, toPayment, type PaymentDocument } from './payment-model.ts'

export interface Chunk {
  /** Newest first. Some may not fit the filter. */
  readonly payments: readonly Payment[]
  /** Documents that the database has read for it. */
  readonly examined: number
  /** `undefined` when there is nothing older. */
  readonly next: ListPosition | undefined
}

/** Reads the next part of a list, along an index, at most `limit` documents. */
export type ReadChunk = (filter: ListFilter, position: ListPosition, limit: number) => Promise<Chunk>

const BEGINNING = firstTransactionIdAt(new Date(0))

export function mongoReadChunk(connection: Connection): ReadChunk {
  const collection = driverCollection<PaymentDocument>(connection, paymentModel(connection).collection.name)

  /** Along the primary key, in its order. */
  const newestFirst: ReadChunk = async (filter, position, limit) => {
    const { merchantId, from } = filter
    const _id = idRange(merchantId, oldestId(from), position.before)
    const found = await collection.find({ _id }).sort({ _id: -1 }).limit(limit).toArray()
    const payments = found.map(toPayment)
    return { payments, examined: found.length, next: after(payments, limit, position) }
  }

  /**
   * Through an index whose order FerretDB does not use: it would read the whole range before it sorts. So a window of time is
   * read unsorted, and a window that holds too many is read again, narrower.
   */
  const windowed: ReadChunk = async (filter, { before, widthMs }, limit) => {
    const { merchantId, from } = filter
    const equal = equalities(filter)
    const oldest = oldestId(from)
    const start = windowStart(before, widthMs, oldest)
    const found = await collection
      .find({ merchant_id: merchantId, ...equal, _id: idRange(merchantId, start, before) })
      .limit(limit)
      .toArray()
    const payments = found.map(toPayment).toSorted((one, other) => (one.transactionId > other.transactionId ? -1 : 1))
    if (found.length < limit) {
      const next = start <= oldest ? undefined : { before: start, widthMs: widerMs(widthMs) }
      return { payments, examined: found.length, next }
    }
    const narrower = narrowerMs(Math.min(widthMs, LONGEST_MS))
    if (narrower !== undefined) return { payments: [], examined: found.length, next: { before, widthMs: narrower } }
    // One millisecond holds more than a chunk: only here the database sorts.
    return newestFirst(filter, { before, widthMs }, limit)
  }

  return (filter, position, limit) =>
    Object.keys(equalities(filter)).length === 0 ? newestFirst(filter, position, limit) : windowed(filter, position, limit)
}

/** A window that begins at the first id of all is halved from here. */
const LONGEST_MS = FIRST_WIDTH_MS * 8

function equalities({ indexed }: ListFilter): mongo.Filter<PaymentDocument> {
  const { orderId, rrn, payerHash, status, refundState } = indexed
  return {
    ...(orderId === undefined ? {} : { order_id: orderId }),
    ...(rrn === undefined ? {} : { rrn }),
    ...(payerHash === undefined ? {} : { payer_hash: payerHash }),
    ...(status === undefined ? {} : { status }),
    ...(refundState === undefined ? {} : { refund_state: refundState }),
  }
}

function idRange(merchantId: string, start: string, before: string) {
  return { $gte: paymentKey(merchantId, start), $lt: paymentKey(merchantId, before) }
}

function oldestId(from: Date | undefined): string {
  return from ? firstTransactionIdAt(from) : BEGINNING
}

function windowStart(before: string, widthMs: number, oldest: string): string {
  const startMs = transactionTime(before).getTime() - widthMs
  if (startMs <= 0) return oldest
  const start = firstTransactionIdAt(new Date(startMs))
  return start > oldest ? start : oldest
}

function after(payments: readonly Payment[], limit: number, { widthMs }: ListPosition): ListPosition | undefined {
  const last = payments.at(-1)
  return last && payments.length >= limit ? { before: last.transactionId, widthMs } : undefined
}
