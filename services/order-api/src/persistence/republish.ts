import type { Connection } from 'mongoose'
import { firstTransactionIdAt } from '@gateway/contracts'
import { putBackEvents, toEntry, type PutBack } from '@gateway/outbox'
import { driverCollection } from '@gateway/service-kit/mongo'
import { orderCreatedEvent } from '../domain/order.ts'
import { ORDERS, type OrderDocument } from './orders.ts'

/** Orders read at once, unless more of them are of one moment. */
const PAGE = 1000
const MIN_WIDTH_MS = 1000

/** The event says nothing of the customer, so nothing of it is read. */
const OF_EVENT = { projection: { customer: 0, outbox: 0 } } as const

/** Puts `order.created` of every order since an instant back into its outbox; resolves to their number. */
export function republishOrders(connection: Connection, since: Date, onWait: () => void): Promise<number> {
  const collection = driverCollection<OrderDocument>(connection, ORDERS)
  const now = (): Date => new Date()

  /** A window at a time, which grows while there is little in it: nothing is sorted, and no cursor lives for long. */
  async function* orders(): AsyncGenerator<PutBack> {
    const endMs = now().getTime()
    let widthMs = MIN_WIDTH_MS
    for (let fromMs = since.getTime(); fromMs < endMs;) {
      const untilMs = Math.min(endMs, fromMs + widthMs)
      const found = await createdIn(new Date(fromMs), new Date(untilMs), widthMs > MIN_WIDTH_MS ? PAGE : 0)
      if (found.length >= PAGE && widthMs > MIN_WIDTH_MS) {
        widthMs = Math.max(MIN_WIDTH_MS, widthMs / 4)
        continue
      }
      for (const order of found) yield { documentId: order._id, entries: [toEntry(orderCreatedEvent(order))] }
      fromMs = untilMs
      if (found.length < PAGE / 4) widthMs *= 2
    }
  }

  /** With a limit some of them, and without (0) all. */
  const createdIn = (from: Date, until: Date, limit: number): Promise<OrderDocument[]> => {
    const transactionId = { $gte: firstTransactionIdAt(from), $lt: firstTransactionIdAt(until) }
    return collection.find({ transactionId }, OF_EVENT).limit(limit).toArray()
  }

  return putBackEvents(collection, orders(), { now, onWait })
}
