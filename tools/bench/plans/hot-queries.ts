import type { Connection, mongo } from 'mongoose'
import { firstTransactionIdAt } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'
import { clearPublished, findUnpublished } from '@gateway/outbox/documents'
import type { OrderDocument } from '@gateway-services/order-api/persistence/order-document'
import { mongoOrders } from '@gateway-services/order-api/persistence/orders'
import { mongoCountOverdue, mongoFindOldestDue } from '@gateway-services/payment-status/observing/overdue'
import { mongoPages } from '@gateway-services/payment-status/exports/persistence/pages'
import { republishChanges } from '@gateway-services/payment-status/exports/persistence/republish'
import {
  transactionModel,
  type TransactionDocument,
} from '@gateway-services/payment-status/payments/persistence/transaction-document'
import { unchanged } from '@gateway-services/payment-status/payments/domain/transition'
import { mongoTransactionStore } from '@gateway-services/payment-status/payments/persistence/transaction-store'
import { mongoDeliveries } from '@gateway-services/webhook-dispatcher/deliveries/persistence/deliveries'
import { mongoDeliveryLists } from '@gateway-services/webhook-dispatcher/deliveries/persistence/delivery-lists'
import { endOfTransaction, mongoDeliveryReadModel } from '@gateway-services/webhook-dispatcher/deliveries/persistence/read-model'
import type { DeliveryDocument } from '@gateway-services/webhook-dispatcher/deliveries/persistence/delivery-document'
import { mongoPayments, type PaymentDocument } from '@gateway-services/network-simulator/persistence/payments'
import type { Bench } from '../payments/stack.ts'
import { explainAll, type HotQueries, type NamedVerdict } from './explain.ts'

const SILENT_RELAY = { submit: () => undefined }
const LONG_AGO = new Date(0)
const NEVER = new Date('2500-01-01')
const NEVER_ID = firstTransactionIdAt(LONG_AGO)
const IGNORE_SLOT = () => undefined

/** Every hot query of a stack whose services have stored something, with what the database's plan says of it. */
export async function explainHotQueries({ stack, databasePrefix }: Bench): Promise<NamedVerdict[]> {
  const verdicts = []
  for (const [database, queriesOf] of Object.entries(DATABASES))
    for (const verdict of await explainAll(stack.mongo_url, databasePrefix + database, queriesOf))
      verdicts.push({ ...verdict, name: `${database.replace('_', '-')}: ${verdict.name}` })
  return verdicts
}

const DATABASES = {
  order_api: orderQueries,
  payment_status: transactionQueries,
  webhook_dispatcher: deliveryQueries,
  network_simulator: paymentQueries,
}

async function orderQueries(connection: Connection): Promise<HotQueries> {
  const collection = driverCollection<OrderDocument>(connection, 'orders')
  const orders = mongoOrders(connection, SILENT_RELAY, IGNORE_SLOT)
  const { transaction_id: transactionId, merchant, order_id: orderId } = await anyOf(collection)
  return {
    'the order of a repeated create': () => orders.find(merchant.id, orderId),
    'the order of a transaction': () => orders.findByTransaction(transactionId),
    'unpublished events': () => findUnpublished(collection, { cutoff: LONG_AGO, exceptIds: [], limit: 500 }),
    'published events are cleared': () => clearPublished(collection, [{ documentId: NEVER_ID, entry: { id: NEVER_ID } }]),
  }
}

async function transactionQueries(connection: Connection): Promise<HotQueries> {
  const collection = driverCollection<TransactionDocument>(connection, 'transactions')
  const transactions = mongoTransactionStore(connection, SILENT_RELAY, IGNORE_SLOT)
  const { _id: id, order } = await anyOf(collection)
  const model = transactionModel(connection)
  const pages = mongoPages(model)
  return {
    'search, one': () => transactions.findByOrder(order.merchant.id, order.order_id),
    // The first goes alone; those that come meanwhile go together.
    'search, many at once': () =>
      Promise.all(Array.from({ length: 20 }, () => transactions.findByOrder(order.merchant.id, order.order_id))),
    'the transaction of a callback': () => transactions.find(id),
    'a status change': async () => {
      const found = await transactions.find(id)
      // No document has this version: the guard is looked up, and nothing is changed.
      if (found) await transactions.save({ ...found, version: -1 }, unchanged(found))
    },
    'what is due': () => transactions.claimDue(LONG_AGO, 0, 1),
    'refunds that are due': () => transactions.claimDueRefunds(LONG_AGO, 0, 1),
    'what waits for too long': () => mongoCountOverdue(model)(LONG_AGO),
    'the oldest due work': () => mongoFindOldestDue(model)(LONG_AGO),
    'changes to republish': () => republishChanges(connection, NEVER, () => undefined),
    'unpublished events': () => findUnpublished(collection, { cutoff: LONG_AGO, exceptIds: [], limit: 500 }),
    'published events are cleared': () => clearPublished(collection, [{ documentId: NEVER_ID, entry: { id: NEVER_ID } }]),
    'a page for the audit': () => pages.histories({ after: id, limit: 100 }),
    'a page for the ledger': () => readAll(pages.payments({ after: id, limit: 100 })),
  }
}

async function deliveryQueries(connection: Connection): Promise<HotQueries> {
  const collection = driverCollection<DeliveryDocument>(connection, 'deliveries')
  const deliveries = mongoDeliveries(connection)
  const lists = mongoDeliveryLists(connection, IGNORE_SLOT)
  const readModel = mongoDeliveryReadModel(connection)
  const { _id: id, merchant_id: merchantId, order_id: orderId, transaction_id: transactionId } = await anyOf(collection)
  const page = { limit: 20 }
  return {
    'a delivery': () => deliveries.find(id, merchantId),
    'the claim of an attempt': () =>
      deliveries.claim({ id: NEVER_ID, merchant_id: merchantId }, 99, { now: LONG_AGO, until: LONG_AGO }),
    'what is overdue': () => lists.overdue(LONG_AGO, LONG_AGO, 100),
    'the deliveries of an order': () => lists.ofMerchant({ merchantId, orderId }, page),
    'the deliveries of a merchant': () => lists.ofMerchant({ merchantId }, page),
    'dead deliveries': () => lists.undelivered('dead', {}, page),
    'dead deliveries of a merchant': () => lists.undelivered('dead', { merchantId }, page),
    'a page for the audit': () => readModel.inRange({ $gt: endOfTransaction(transactionId) }, 100),
    'the deliveries of a timeline': () => readModel.ofOrder(merchantId, orderId),
  }
}

async function paymentQueries(connection: Connection): Promise<HotQueries> {
  const collection = driverCollection<PaymentDocument>(connection, 'payments')
  const payments = mongoPayments(connection)
  const { _id: reference, tr } = await anyOf(collection)
  return {
    'a payment': () => payments.find(reference),
    'the payments of a transaction': () => payments.findByTransaction(tr),
    'the payment of an attempt': () => payments.findByAttempt('none'),
    'the payment of a page': () => payments.findByPage('none'),
    'callbacks that are due': () => payments.findDue(LONG_AGO, 50),
  }
}

async function readAll(found: AsyncIterable<unknown>): Promise<void> {
  for (const iterator = found[Symbol.asyncIterator](); !(await iterator.next()).done;);
}

async function anyOf<T extends mongo.Document>(collection: mongo.Collection<T>): Promise<mongo.WithId<T>> {
  const found = await collection.findOne()
  if (!found) throw new Error(`there is nothing in ${collection.collectionName}`)
  return found
}
