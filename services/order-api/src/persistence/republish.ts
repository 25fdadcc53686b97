import type { Connection } from 'mongoose'
import { firstTransactionIdAt, orderTextsOf } from '@gateway/contracts'
import { putBackEvents, toEntry, type PutBack } from '@gateway/outbox'
import { narrowerMs, widerMs } from '@gateway/service-kit'
import { driverCollection } from '@gateway/service-kit/mongo'
import { orderCreatedEvent } from '../domain/order.ts'
import { orderModel, type OrderDocument } from './order-document.ts'

/** Orders per read; more only when a window of the smallest width holds more. */
const PAGE = 1000
const MIN_WIDTH_MS = 1000

/** The event holds no customer, so none is read. */
const FIELDS_OF_EVENT = { customer: 0, outbox: 0 } as const

/**
 * Puts `order.created` of every order since an instant back into its outbox, from where running replicas publish it. Resolves to
 * the number of events. `onWait` is called when it waits for replicas to publish.
 */
export function republishOrders(connection: Connection, since: Date, onWait: () => void): Promise<number> {
  const model = orderModel(connection)
  // Outboxes are shared with other services, on the driver's bulk writes.
  const collection = driverCollection<OrderDocument>(connection, model.collection.name)
  const now = (): Date => new Date()

  /** One window of time after the other, wider while there is little in them: no sort, and no cursor that stays open. */
  async function* orders(): AsyncGenerator<PutBack> {
    const endMs = now().getTime()
    let widthMs = MIN_WIDTH_MS
    for (let fromMs = since.getTime(); fromMs < endMs;) {
      const untilMs = Math.min(endMs, fromMs + widthMs)
      const narrower = narrowerMs(widthMs, MIN_WIDTH_MS)
      const found = await createdIn(new Date(fromMs), new Date(untilMs), narrower === undefined ? 0 : PAGE)
      if (found.length >= PAGE && narrower !== undefined) {
        widthMs = narrower
        continue
      }
      for (const { _id: documentId, texts, ...order } of found)
        yield { documentId, entries: [toEntry(orderCreatedEvent({ ...order, texts: orderTextsOf(texts) }))] }
      fromMs = untilMs
      if (found.length < PAGE / 8) widthMs = widerMs(widthMs)
    }
  }

  /** At most `limit` of the orders created in a window; all of them with 0. */
  function createdIn(from: Date, until: Date, limit: number) {
    const transaction_id = { $gte: firstTransactionIdAt(from), $lt: firstTransactionIdAt(until) }
    return model.find({ transaction_id }, FIELDS_OF_EVENT).limit(limit).lean<OrderDocument[]>()
  }

  return putBackEvents(collection, orders(), { now, onWait })
}
