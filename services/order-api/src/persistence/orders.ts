import type { Connection } from 'mongoose'
import { firstTransactionIdAt, orderKey, ownSlotsOf, slotOf, slotOfOrder } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection, insertBatch, type CheckSlot } from '@gateway/service-kit/mongo'
import type { OutboxRelay } from '@gateway/outbox'
import type { Orders } from '../domain/order.ts'
import { orderModel, toDocument, toOrder, type OrderDocument } from './order-document.ts'

const INSERT_BATCHING = { maxBatchSize: 200, maxQueued: 2000 } as const
const WITHOUT_OUTBOX = { outbox: 0 } as const

/** The orders on MongoDB. `relay` publishes the event of each insert; `checkSlot` is told of the orders that are compared. */
export function mongoOrders(connection: Connection, relay: Pick<OutboxRelay, 'submit'>, checkSlot: CheckSlot): Orders {
  const model = orderModel(connection)
  // On the payment path (batched insert, batched find) statements go to the driver: mongoose would cast each one.
  const collection = driverCollection<OrderDocument>(connection, model.collection.name)
  const insert = createBatcher<OrderDocument, boolean>({
    ...INSERT_BATCHING,
    run: (documents) => insertBatch(collection, documents),
  })
  return {
    async insert(order) {
      const document = toDocument(order)
      const inserted = await insert(document)
      if (inserted) relay.submit(document._id, document.outbox)
      return inserted
    },
    async find(merchantId, orderId) {
      const key = { slot: slotOfOrder(merchantId, orderId), _id: orderKey(merchantId, orderId) }
      const found = await model.findOne(key, WITHOUT_OUTBOX).lean<OrderDocument>()
      return found ? toOrder(found) : undefined
    },
    async findByTransaction(transactionId) {
      const slot = slotOf(transactionId)
      if (slot === undefined) return undefined
      const found = await model.findOne({ slot, transaction_id: transactionId }, WITHOUT_OUTBOX).lean<OrderDocument>()
      return found ? toOrder(found) : undefined
    },
    async findManyByTransaction(transactionIds) {
      const these = { slot: { $in: ownSlotsOf(transactionIds) }, transaction_id: { $in: [...transactionIds] } }
      return (await collection.find(these, { projection: WITHOUT_OUTBOX }).toArray()).map(toOrder)
    },
    async idsCreatedBetween(since, until, limit) {
      const range = { transaction_id: { $gte: firstTransactionIdAt(since), $lt: firstTransactionIdAt(until) } }
      const found = await model
        .find(range, { _id: 0, transaction_id: 1, slot: 1 })
        .limit(limit)
        .lean<Pick<OrderDocument, 'transaction_id' | 'slot'>[]>()
      for (const { transaction_id, slot } of found) checkSlot(transaction_id, slot)
      return found.map(({ transaction_id }) => transaction_id)
    },
  }
}
