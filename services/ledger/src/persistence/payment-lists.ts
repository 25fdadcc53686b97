import type { Connection, mongo } from 'mongoose'
import { firstTransactionIdAt, transactionTime } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'
import { fits, type ListFilter, type ListPosition } from '../domain/list-filter.ts'
import type { Payment } from '../domain/payment.ts'
import { FIRST_WIDTH_MS, narrowerMs, widerMs } from '../domain/time-window.ts'
import { paymentKey, paymentModel, toPayment, type PaymentDocument } from './payment-model.ts'
import { mongoRrns, type Rrns } from './rrns.ts'

export interface Chunk {
  /** Newest first; all fit the filter. */
  readonly payments: readonly Payment[]
  /** Documents that the database has read for it, at most. */
  readonly examined: number
  /** `undefined` when there is nothing older. */
  readonly next: ListPosition | undefined
}

/** How much one read may cost. */
export interface ChunkLimits {
  /** Payments that the page still needs. */
  readonly wanted: number
  /** Documents that the database may read. */
  readonly examine: number
}

/** Reads the next part of a list, along an index. */
export type ReadChunk = (filter: ListFilter, position: ListPosition, limits: ChunkLimits) => Promise<Chunk>

const BEGINNING = firstTransactionIdAt(new Date(0))

export function mongoReadChunk(connection: Connection): ReadChunk {
  const collection = driverCollection<PaymentDocument>(connection, paymentModel(connection).collection.name)
  const byRrn = makeReadByRrn(collection, mongoRrns(connection))

  /** Along the primary key, in its order. The database drops what does not fit, because reading a document costs far more. */
  const newestFirst: ReadChunk = async (filter, { before, widthMs }, { wanted, examine }) => {
    const _id = idRange(filter.merchantId, oldestId(filter.from), before)
    const conditions = { ...equalities(filter), ...otherConditions(filter) }
    const isFiltered = Object.keys(conditions).length > 0
    const found = isFiltered
      ? await collection.aggregate<PaymentDocument>(pipeline(_id, conditions, { wanted, examine })).toArray()
      : await collection.find({ _id }).sort({ _id: -1 }).limit(wanted).toArray()
    const payments = found.map(toPayment)
    const last = payments.at(-1)
    if (last && payments.length >= wanted)
      return { payments, examined: payments.length, next: { before: last.transactionId, widthMs } }
    if (!isFiltered) return { payments, examined: payments.length, next: undefined }
    const end = await lastExamined(_id, examine)
    if (end === undefined) return { payments, examined: examine, next: undefined }
    const next = end.slice(filter.merchantId.length + 1)
    // A payment that was stored between the two reads moves the end: what is behind it is on the next page.
    const examined = payments.filter(({ transactionId }) => transactionId >= next)
    return { payments: examined, examined: examine, next: { before: next, widthMs } }
  }

  /** The id of the last document that a read of so many examines; `undefined` when there are fewer. */
  const lastExamined = async (_id: IdRange, examine: number): Promise<string | undefined> => {
    const position = collection.find({ _id }, { projection: { _id: 1 } }).sort({ _id: -1 })
    const [last] = await position
      .skip(examine - 1)
      .limit(1)
      .toArray()
    return last?._id
  }

  /**
   * Through an index whose order FerretDB does not use: it would read the whole range before it sorts. So a window of time is
   * read unsorted, and a window that holds too many is read again, narrower.
   */
  const windowed: ReadChunk = async (filter, { before, widthMs }, limits) => {
    const { merchantId, from } = filter
    const isWhole = widthMs === Infinity
    const oldest = oldestId(from)
    const start = isWhole ? oldest : windowStart(before, widthMs, oldest)
    const limit = Math.min(limits.examine, isWhole ? MAX_WHOLE : limits.wanted * WINDOW_TO_PAGE)
    const _id = idRange(merchantId, start, before)
    // With a range of ids, FerretDB takes an index that has the id in it, and reads all payments of the merchant.
    const found = await collection
      .find({ merchant_id: merchantId, ...equalities(filter), ...(isWhole ? {} : { _id }) })
      .limit(limit)
      .toArray()
    if (found.length < limit) {
      const inRange = found.filter((document) => document._id >= _id.$gte && document._id < _id.$lt)
      const payments = inRange
        .map(toPayment)
        .filter((payment) => fits(payment, filter))
        .toSorted(newestFirstOrder)
      const next = start <= oldest ? undefined : { before: start, widthMs: widerMs(widthMs) }
      return { payments, examined: found.length, next }
    }
    const narrower = narrowerMs(Math.min(widthMs, LONGEST_MS))
    if (narrower !== undefined) return { payments: [], examined: found.length, next: { before, widthMs: narrower } }
    // One millisecond holds more than a chunk: only here the database sorts.
    return newestFirst(filter, { before, widthMs }, limits)
  }

  return (filter, position, limits) => {
    if (filter.indexed.rrn !== undefined) return byRrn(filter.indexed.rrn, filter, position, limits)
    return Object.keys(equalities(filter)).length === 0
      ? newestFirst(filter, position, limits)
      : windowed(filter, position, limits)
  }
}

/** Reads payments by one of the numbers under which banks know them or their money. */
function makeReadByRrn(collection: mongo.Collection<PaymentDocument>, rrns: Pick<Rrns, 'find'>) {
  return async (rrn: string, filter: ListFilter, { before, widthMs }: ListPosition, limits: ChunkLimits): Promise<Chunk> => {
    const { merchantId, from } = filter
    const limit = Math.min(limits.examine, limits.wanted * WINDOW_TO_PAGE)
    const ids = await rrns.find(merchantId, rrn, { from: oldestId(from), before }, limit)
    const last = ids.at(-1)
    if (last === undefined) return { payments: [], examined: 0, next: undefined }
    const found = await collection.find({ _id: { $in: ids.map((id) => paymentKey(merchantId, id)) } }).toArray()
    const payments = found.map(toPayment).filter((payment) => fits(payment, filter))
    const next = ids.length < limit ? undefined : { before: last, widthMs }
    return { payments: payments.toSorted(newestFirstOrder), examined: ids.length, next }
  }
}

function newestFirstOrder(one: Payment, other: Payment): number {
  return one.transactionId > other.transactionId ? -1 : 1
}

/** A window that begins at the first id of all becomes narrower from here. */
const LONGEST_MS = FIRST_WIDTH_MS * 8
/** Matches of an exact condition that are read at once. */
const MAX_WHOLE = 1000
/** A window may hold so many times what the page needs before it is read again, narrower. */
const WINDOW_TO_PAGE = 4

type IdRange = Readonly<{ $gte: string; $lt: string }>

/** Examines the newest documents of the range, and answers those that fit. */
function pipeline(_id: IdRange, conditions: mongo.Filter<PaymentDocument>, { wanted, examine }: ChunkLimits): mongo.Document[] {
  return [{ $match: { _id } }, { $sort: { _id: -1 } }, { $limit: examine }, { $match: conditions }, { $limit: wanted }]
}

function otherConditions({ method, minPaise, maxPaise }: ListFilter): mongo.Filter<PaymentDocument> {
  const amount = {
    ...(minPaise === undefined ? {} : { $gte: minPaise }),
    ...(maxPaise === undefined ? {} : { $lte: maxPaise }),
  }
  return {
    ...(method === undefined ? {} : { method }),
    ...(Object.keys(amount).length === 0 ? {} : { amount_paise: amount }),
  }
}

function equalities({ indexed }: ListFilter): mongo.Filter<PaymentDocument> {
  const { orderId, payerHash, status, refundState } = indexed
  return {
    ...(orderId === undefined ? {} : { order_id: orderId }),
    ...(payerHash === undefined ? {} : { payer_hash: payerHash }),
    ...(status === undefined ? {} : { status }),
    ...(refundState === undefined ? {} : { refund_state: refundState }),
  }
}

function idRange(merchantId: string, start: string, before: string): IdRange {
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
