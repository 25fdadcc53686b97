import type { Connection, mongo } from 'mongoose'
import { PRESENT, type CheckSlot } from '@gateway/service-kit/mongo'
import { DEAD_REASONS, type Delivery } from '../domain/delivery.ts'
import { bytesOf } from '../domain/page-size.ts'
import { deliveryCollection, toDelivery, type DeliveryDocument } from './delivery-document.ts'
import { canMove, nextAttemptIs } from './guards.ts'
import { MAX_READ, pageStart } from './page-window.ts'

/** Where a page ended: the next one begins after this delivery. */
export interface Position {
  readonly created_at: Date
  readonly id: string
}

export interface PageRequest {
  readonly limit: number
  readonly after?: Position | undefined
  /** Reading stops after this many bytes, so that little more is read than a page shows. */
  readonly maxBytes?: number
}

/** An operator's filter for deliveries that are not delivered. */
export interface UndeliveredFilter {
  readonly merchantId?: string | undefined
  /** Range of the delivery's creation: `from` included, `to` excluded. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** Why it is dead, or the result of its latest attempt: a status code or an error. */
  readonly reason?: string | undefined
  /** The beginning of the URL it goes to. */
  readonly url?: string | undefined
}

export type DeliveryLists = ReturnType<typeof mongoDeliveryLists>

type Filter = mongo.Filter<DeliveryDocument>
type ReadPart = (page: PageRequest) => Promise<Delivery[]>

/** How many deliveries the first query reads: enough for the usual page. */
const FIRST_PART = 21
/** Only their number counts; one batch, so that it is one command. */
const COUNTED = { projection: { _id: 1 }, batchSize: MAX_READ + 1 } as const

/** Lists of deliveries. Every query is bounded and uses an index. */
export function mongoDeliveryLists(connection: Connection, checkSlot: CheckSlot, now = (): Date => new Date()) {
  const deliveries = deliveryCollection(connection)
  const query = (filters: Filter[], { limit, after }: PageRequest) =>
    deliveries
      .find({ $and: after ? [...filters, isAfter(after)] : filters })
      .sort({ created_at: -1, _id: -1 })
      .limit(limit)
  const newestFirst = async (filters: Filter[], { maxBytes, ...page }: PageRequest): Promise<Delivery[]> => {
    const read: ReadPart = async (part) => (await query(filters, part).toArray()).map(toDelivery)
    return maxBytes === undefined ? read(page) : readUpTo(maxBytes, read, page)
  }

  /** The filters of a list that may be long, with a range in which the query reads only as much of it as a page needs. */
  const rangeOfPage = async (filters: Filter[], page: PageRequest): Promise<Filter[]> => {
    const end = page.after?.created_at ?? now()
    const upToEnd: Filter[] = page.after ? [...filters, { created_at: { $lte: end } }] : filters
    const since = (from: Date): Filter[] => [...upToEnd, { created_at: { $gte: from } }]
    const countFrom = async (from: Date): Promise<number> =>
      (
        await deliveries
          .find({ $and: since(from) }, COUNTED)
          .limit(MAX_READ)
          .toArray()
      ).length
    // One more, since the delivery at the position itself is not on the page.
    const from = await pageStart(countFrom, { end, atLeast: page.limit + 1 })
    return from ? since(from) : upToEnd
  }

  return {
    /** Newest first. */
    ofMerchant: ({ merchantId, orderId }: { merchantId: string; orderId?: string | undefined }, page: PageRequest) =>
      orderId === undefined
        ? rangeOfPage([{ merchant_id: merchantId }], page).then((range) => newestFirst(range, page))
        : newestFirst([{ merchant_id: merchantId, order_id: orderId }], page),

    /** Newest first. */
    undelivered: async (status: 'dead' | 'retrying', filter: UndeliveredFilter, page: PageRequest) =>
      newestFirst(await rangeOfPage(conditionsOf(status, filter), page), page),

    /** Where each dead delivery is in the list, newest first: without its attempts, which may be long. */
    async positionsOfDead(filter: UndeliveredFilter, page: Omit<PageRequest, 'maxBytes'>): Promise<Position[]> {
      const range = await rangeOfPage(conditionsOf('dead', filter), page)
      const found = await query(range, page).project<Pick<DeliveryDocument, '_id' | 'created_at'>>({ created_at: 1 }).toArray()
      return found.map(({ _id: id, created_at }) => ({ id, created_at }))
    },

    /** Open deliveries whose attempt was due before `before` and that no replica has claimed at `now`; the oldest first. */
    async overdue(before: Date, now: Date, limit: number): Promise<Delivery[]> {
      const filter = { status: 'retrying', next_attempt_at: { $lte: before }, claimed_until: { $lte: now } } as const
      const found = await deliveries.find(filter).sort({ next_attempt_at: 1 }).limit(limit).toArray()
      for (const { _id, slot } of found) checkSlot(_id, slot)
      return found.map(toDelivery)
    },

    /** Makes an overdue delivery due `now`; false when another replica has done so. */
    async takeOverdue(delivery: Delivery, overdueSince: Date, now: Date): Promise<boolean> {
      const { matchedCount } = await deliveries.updateOne(
        {
          ...canMove('publishAgain', now),
          ...nextAttemptIs(delivery, delivery.attempt_count + 1),
          next_attempt_at: overdueSince,
        },
        { $set: { next_attempt_at: now } },
      )
      return matchedCount === 1
    },
  }
}

/**
 * Reads a first part, then as many more as fit, estimated by its size. Each part is a query of its own: FerretDB keeps a connection to
 * PostgreSQL for a cursor that is not read to its end.
 */
async function readUpTo(maxBytes: number, read: ReadPart, { limit, after }: PageRequest): Promise<Delivery[]> {
  const found: Delivery[] = []
  let [bytes, size] = [0, Math.min(limit, FIRST_PART)]
  while (size > 0) {
    const part = await read({ limit: size, after: found.at(-1) ?? after })
    found.push(...part)
    for (const delivery of part) bytes += bytesOf(delivery)
    if (part.length < size || bytes > maxBytes) break
    const more = Math.ceil(((maxBytes - bytes) / bytes) * found.length) + 1
    size = Math.min(limit - found.length, more)
  }
  return found
}

function conditionsOf(status: 'dead' | 'retrying', { merchantId, from, to, reason, url }: UndeliveredFilter): Filter[] {
  // The partial index begins with `created_at`, and FerretDB uses it only for a query that names that field (ADR 5).
  const conditions: Filter[] = [{ status, created_at: PRESENT }]
  if (merchantId !== undefined) conditions.push({ merchant_id: merchantId })
  if (from) conditions.push({ created_at: { $gte: from } })
  if (to) conditions.push({ created_at: { $lt: to } })
  const deadReason = DEAD_REASONS.find((known) => known === reason)
  if (deadReason) conditions.push({ dead_reason: deadReason })
  else if (reason !== undefined) conditions.push({ last_result: reason })
  if (url !== undefined) conditions.push({ url: { $regex: `^${url.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)}` } })
  return conditions
}

function isAfter({ created_at, id }: Position): Filter {
  return { $or: [{ created_at: { $lt: created_at } }, { created_at, _id: { $lt: id } }] }
}
