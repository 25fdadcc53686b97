import { randomBytes } from 'node:crypto'
import type { mongo } from 'mongoose'
import { newTransactionId } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import type { OrderDocument } from '@gateway-services/order-api/persistence/order-document'
import type { TransactionDocument } from '@gateway-services/payment-status/persistence/transaction-document'
import type { DeliveryDocument } from '@gateway-services/webhook-dispatcher/persistence/delivery-model'
import type { PaymentDocument } from '@gateway-services/network-simulator/persistence/payment-model'
import { withCollection, type Bench } from '../payments/stack.ts'

/** What the services have stored of one payment that is over, by collection. */
export interface StoredPayment {
  readonly orders: readonly OrderDocument[]
  readonly transactions: readonly TransactionDocument[]
  readonly deliveries: readonly DeliveryDocument[]
  readonly payments: readonly PaymentDocument[]
}

/** The database of each collection, without its prefix. */
export const DATABASES = {
  orders: 'order_api',
  transactions: 'payment_status',
  deliveries: 'webhook_dispatcher',
  payments: 'network_simulator',
} as const
export const COLLECTIONS = ['orders', 'transactions', 'deliveries', 'payments'] as const

/** A third of them is paid on the hosted page. A multiple of the number of merchants, so that each has as many. */
const TEMPLATES = 60
const STORED_WITHIN_MS = 60_000
const DAY_MS = 24 * 3600 * 1000

/** Pays orders of every merchant through the gateway, and reads what the services have stored of them. */
export async function makeTemplates(bench: Bench): Promise<StoredPayment[]> {
  const callers = { concurrency: 10, durationMs: STORED_WITHIN_MS, maxCalls: TEMPLATES }
  const { paidIds } = await bench.load.call('callers', 'journey', callers)
  const read = <T extends mongo.Document>(name: keyof StoredPayment, field: string): Promise<T[]> =>
    withCollection(bench, [DATABASES[name], name], (collection) =>
      collection.find<T>({ [field]: { $in: [...paidIds] } }).toArray(),
    )
  const readOver = async (): Promise<StoredPayment[]> => {
    const orders = await read<OrderDocument>('orders', 'transactionId')
    const transactions = await read<TransactionDocument>('transactions', '_id')
    const deliveries = await read<DeliveryDocument>('deliveries', 'transaction_id')
    const payments = await read<PaymentDocument>('payments', 'tr')
    const templates = paidIds.map((id) => ({
      orders: orders.filter(({ transactionId }) => transactionId === id),
      transactions: transactions.filter(({ _id }) => _id === id),
      deliveries: deliveries.filter(({ transaction_id }) => transaction_id === id),
      payments: payments.filter(({ tr }) => tr === id),
    }))
    if (!templates.every(isOver)) throw new Error('not every payment is over')
    return templates
  }
  return eventually(readOver, { deadlineMs: STORED_WITHIN_MS, pauseMs: 500 })
}

/** Every event is published, every webhook delivered, every callback acknowledged. */
function isOver({ orders, transactions, deliveries, payments }: StoredPayment): boolean {
  const [transaction] = transactions
  return (
    transaction?.status === 'Success' &&
    [...orders, ...transactions].every(({ outbox }) => outbox.length === 0) &&
    deliveries.length === transaction.sequence &&
    deliveries.every(({ status }) => status === 'delivered') &&
    payments.every(({ nextDueAt }) => !nextDueAt)
  )
}

/** The order id of a copy, which searches ask for. */
export function storedOrderId(number: number): string {
  return `STORED-${number}`
}

/** Makes copies of a payment, as if it had been made at another time: with ids of their own, and all times moved. */
export function copierOf(template: StoredPayment): (number: number, createdAt: Date, now: Date) => StoredPayment {
  const [[order], [payment]] = [template.orders, template.payments]
  if (!order || !payment) throw new Error('a payment has an order')
  const { transactionId, orderId, createdAt: originalAt } = order
  const random = [payment._id, payment.start?.attemptId, payment.page?.token].filter((id) => typeof id === 'string')
  const pattern = new RegExp([transactionId, orderId, ...random].join('|'), 'gu')

  return (number, createdAt, now) => {
    const ids = new Map(random.map((id) => [id, randomBytes(id.length).toString('base64url').slice(0, id.length)]))
    ids.set(transactionId, newTransactionId(createdAt)).set(orderId, storedOrderId(number))
    const shiftMs = createdAt.getTime() - originalAt.getTime()
    const copy = (value: unknown): unknown => {
      if (typeof value === 'string') return value.replace(pattern, (id) => ids.get(id) ?? id)
      if (value instanceof Date) return new Date(value.getTime() + shiftMs)
      if (Array.isArray(value)) return value.map(copy)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one)]))
    }
    // A copy has the shape of what it copies.
    const { transactions, ...rest } = copy(template) as StoredPayment
    return { ...rest, transactions: transactions.map((transaction) => withEnquiries(transaction, now)) }
  }
}

/** A payment of the last day has the second of its repeated enquiries ahead of it, as in production; an older one has none. */
function withEnquiries({ dueAt: _dueAt, enquiry, ...rest }: TransactionDocument, now: Date): TransactionDocument {
  const dueAt = new Date((rest.finalAt ?? rest.createdAt).getTime() + DAY_MS)
  return enquiry && dueAt > now ? { ...rest, enquiry: { ...enquiry, dueAt }, dueAt } : { ...rest, enquiry: null }
}
