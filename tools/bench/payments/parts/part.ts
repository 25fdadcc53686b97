/**
 * One process of the bare parts: each function makes the documents, messages and HTTP exchanges of one service for a created order,
 * and resolves with the URL at which it takes calls, if it takes any. Batches and prefetches are those of the services.
 */
import { Pool } from 'undici'
import { exchange } from '@gateway/service-kit/http-client'
import { serveProgram } from '@gateway-tools/load/program'
import { JSON_TYPE, openBus, openStore, serve, type StartPart } from './common.ts'

export type PartFunctions = typeof PARTS

const HOUR_MS = 3_600_000
const PARTS = { orders, status, hooks, ledger, edge, pid: () => process.pid }

/** order-api: a document with its event, an answer, the event's publication, and its clearance. */
async function orders(start: StartPart): Promise<string> {
  const [store, bus] = [await openStore(start, ['order_api', 'orders']), await openBus(start, 'order-api')]
  return serve(async (body) => {
    const id = idOf(body)
    await store.insert({ _id: id, order_id: id, transaction_id: id, outbox: [bus.entry('order.created', `${id}.0`)] })
    void bus.publish('order.created', id).then(() => store.clear(id))
    return JSON.stringify({ data: { transaction: { id } }, checkout: { intent: id } })
  })
}

/** payment-status: a document of each order, and its event. */
async function status(start: StartPart): Promise<string> {
  const waits = { maxDelayMs: 5, flushAtSize: 8, pauseMs: 10 }
  const [store, bus] = [await openStore(start, ['payment_status', 'transactions'], waits), await openBus(start, 'payment-status')]
  bus.consume(bus.queues.orderCreated, 200, async (id) => {
    const outbox = [bus.entry('transaction.status-changed', `${id}.1`)]
    await store.insert({ _id: id, order_key: id, due_at: new Date(Date.now() + HOUR_MS), outbox })
    void bus.publish('transaction.status-changed', `${id}.1`).then(() => store.clear(id))
  })
  return ''
}

/** webhook-dispatcher: a POST for each event, and the record that it was taken. */
async function hooks(start: StartPart): Promise<string> {
  const waits = { maxDelayMs: 25, flushAtSize: 100 }
  const [store, bus] = [
    await openStore(start, ['webhook_dispatcher', 'deliveries'], waits),
    await openBus(start, 'webhook-dispatcher'),
  ]
  const { origin, pathname } = new URL(start.webhookUrl)
  const pool = new Pool(origin, { connections: 100, pipelining: 1, connect: { ca: start.ca } })
  const body = String(store.sample['body'])
  bus.consume(bus.queues.statusChanged, 400, async (id) => {
    await post(pool, pathname, body, { 'webhook-id': id })
    const at = new Date()
    await store.insert({ _id: id, order_id: id, created_at: at, finished_at: at })
  })
  return ''
}

/** ledger: a copy of each payment. */
async function ledger(start: StartPart): Promise<string> {
  const [store, bus] = [await openStore(start, ['ledger', 'payments'], { maxDelayMs: 250 }), await openBus(start, 'ledger')]
  bus.consume(bus.queues.ledgerEvents, 400, (id) => store.insert({ _id: id, order_id: id }))
  return ''
}

/** api-gateway: a server that passes a body on, and the answer back. */
async function edge({ ordersUrl }: StartPart): Promise<string> {
  const pool = new Pool(ordersUrl, { connections: 128, pipelining: 1 })
  return serve((body) => post(pool, '/', body))
}

async function post(pool: Pool, path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<string> {
  const answer = await exchange(pool, { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body })
  if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}`, { cause: answer.error })
  return answer.body.toString()
}

/** The id of an order's documents, from the merchant's own order id. */
function idOf(body: Buffer): string {
  const { order_id: orderId } = JSON.parse(body.toString()) as { order_id: string }
  return orderId.replaceAll(/[^0-9A-Za-z]/gu, '').toUpperCase()
}

serveProgram(import.meta.filename, PARTS)
