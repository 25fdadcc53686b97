import type { Connection, mongo } from 'mongoose'
import { firstTransactionIdAt, ownSlotsOf, transactionTime } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'
import { narrowerMs, widerMs } from '@gateway/service-kit'
import type { ListFilter, ReadList } from '../domain/list.ts'
import { paymentKey, type Payment } from '../domain/payment.ts'
import { mongoRrns, type Rrns } from './payments.ts'
import { defined, MAX_EXAMINED, newestFitting, pageOf, readFew, readNewest, type Found, type IdRange } from './read-list.ts'

const HOUR_MS = 60 * 60 * 1000
/** The width of a list's first window. */
const FIRST_WIDTH_MS = 2 * HOUR_MS
const BEGINNING = firstTransactionIdAt(new Date(0))

/** Lists payments, each list along an index. A position is a transaction id. */
export function mongoReadPayments(
  connection: Connection,
  { now, examine = MAX_EXAMINED }: { now: () => Date; examine?: number },
): ReadList<Payment> {
  const collection = driverCollection<Payment>(connection, 'payments')
  const rrns = mongoRrns(connection)

  function read(filter: ListFilter, range: TransactionRange, wanted: number): Promise<Found<Payment>> {
    const { order_id, payer_hash, status, refund_state, rrn } = filter.equal
    const [_id, limits] = [idRange(filter.merchantId, range), { wanted, examine }]
    if (rrn !== undefined) return readByRrn({ collection, rrns }, filter, range)
    if (order_id !== undefined || payer_hash !== undefined)
      return readFew(collection, { order_id, payer_hash }, _id, filter, limits)
    if (status !== undefined || refund_state !== undefined) return readWindows(collection, filter, range, limits)
    return readNewest(collection, _id, filter, limits)
  }

  return async (filter, before, limit) => {
    const { from, to } = filter
    // Also includes orders created by a replica whose clock is ahead.
    const end = firstTransactionIdAt(to ?? new Date(now().getTime() + HOUR_MS))
    const range = { from: from ? firstTransactionIdAt(from) : BEGINNING, before: before ?? end }
    return pageOf(await read(filter, range, limit + 1), filter, limit)
  }
}

/** Transaction ids: `from` is included, `before` is not. */
interface TransactionRange {
  readonly from: string
  readonly before: string
}

type Collection = mongo.Collection<Payment>

/** Numbers that one page may look up. */
const MAX_RRNS = 1000

/** Reads payments by one of the numbers under which banks know them or their money. A payment shows only one of them. */
async function readByRrn(
  { collection, rrns }: { collection: Collection; rrns: Pick<Rrns, 'find'> },
  filter: ListFilter,
  range: TransactionRange,
): Promise<Found<Payment>> {
  const { merchantId } = filter
  const { rrn = '', ...equal } = filter.equal
  const ids = await rrns.find(merchantId, rrn, range, MAX_RRNS)
  const last = ids.at(-1)
  if (last === undefined) return { documents: [] }
  const these = {
    merchant_id: merchantId,
    slot: { $in: ownSlotsOf(ids) },
    _id: { $in: ids.map((id) => paymentKey(merchantId, id)) },
  }
  const found = await collection.find(these).toArray()
  const documents = newestFitting(found, { ...filter, equal }, idRange(merchantId, range))
  return { documents, rest: ids.length < MAX_RRNS ? undefined : paymentKey(merchantId, last) }
}

/** A window that begins at the first id of all becomes narrower from here. */
const LONGEST_MS = 8 * HOUR_MS
/** A window may hold so many times what the page needs before it is read again, narrower. */
const WINDOW_TO_PAGE = 4

/**
 * Reads through an index whose order FerretDB does not use: it would read the whole range before it sorts. So windows of time are
 * read unsorted, and a window that holds too many is read again, narrower.
 */
async function readWindows(
  collection: Collection,
  filter: ListFilter,
  { from, before: end }: TransactionRange,
  { wanted, examine }: { wanted: number; examine: number },
): Promise<Found<Payment>> {
  const { merchantId } = filter
  const { status, refund_state } = filter.equal
  const query = { merchant_id: merchantId, ...defined({ status, refund_state }) } as mongo.Filter<Payment>
  const documents: Payment[] = []
  let [before, widthMs, examined] = [end, FIRST_WIDTH_MS, 0]
  while (documents.length < wanted && examined < examine) {
    const start = windowStart(before, widthMs, from)
    const _id = idRange(merchantId, { from: start, before })
    const limit = Math.min(examine - examined, wanted * WINDOW_TO_PAGE)
    const found = await collection
      .find({ ...query, _id })
      .limit(limit)
      .toArray()
    examined += found.length
    if (found.length < limit) {
      documents.push(...newestFitting(found, filter, _id))
      if (start <= from) return { documents }
      before = start
      widthMs = widerMs(widthMs)
      continue
    }
    const narrower = narrowerMs(Math.min(widthMs, LONGEST_MS))
    if (narrower === undefined) {
      // One millisecond holds more than a window may: only here the database sorts.
      const sorted = await readNewest(collection, idRange(merchantId, { from, before }), filter, { wanted, examine })
      return { documents: [...documents, ...sorted.documents], rest: sorted.rest }
    }
    widthMs = narrower
  }
  return { documents, rest: paymentKey(merchantId, before) }
}

function idRange(merchantId: string, { from, before }: TransactionRange): IdRange {
  return { $gte: paymentKey(merchantId, from), $lt: paymentKey(merchantId, before) }
}

function windowStart(before: string, widthMs: number, from: string): string {
  const startMs = transactionTime(before).getTime() - widthMs
  if (startMs <= 0) return from
  const start = firstTransactionIdAt(new Date(startMs))
  return start > from ? start : from
}
