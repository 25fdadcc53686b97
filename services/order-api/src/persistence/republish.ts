import type { Connection } from 'mongoose'
import { firstTransactionIdAt } from '@gateway/contracts'
import { putBackEvents, toEntry, type PutBack } from '@gateway/outbox'
import { driverCollection } from '@gateway/service-kit'
import { orderCreatedEvent } from '../domain/order.ts'
import { ORDERS, type OrderDocument } from './orders.ts'

const WINDOW_MS = 60_000

/** Puts `order.created` of every order since an instant back into its outbox; resolves to their number. */
export function republishOrders(connection: Connection, since: Date, onWait: () => void): Promise<number> {
  const collection = driverCollection<OrderDocument>(connection, ORDERS)
  const now = (): Date => new Date()

  /** A minute at a time: nothing is sorted, and no cursor lives for long. */
  async function* orders(): AsyncGenerator<PutBack> {
    const endMs = now().getTime()
    for (let fromMs = since.getTime(); fromMs < endMs; fromMs += WINDOW_MS) {
      const $gte = firstTransactionIdAt(new Date(fromMs))
      const $lt = firstTransactionIdAt(new Date(fromMs + WINDOW_MS))
      for (const order of await collection.find({ transactionId: { $gte, $lt } }).toArray())
        yield { documentId: order._id, entries: [toEntry(orderCreatedEvent(order))] }
    }
  }
  return putBackEvents(collection, orders(), { now, onWait })
}
