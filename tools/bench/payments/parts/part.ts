/**
 * One process of the bare parts: each function makes the documents, messages and HTTP exchanges of one service for a created order,
 * and resolves with the URL at which it takes calls, if it takes any.
 */
import { Pool } from 'undici'
import { serveProgram } from '@gateway-tools/load/program'
import { DELAYED, EVENT, openBus, openStore, serve, type StartPart } from './common.ts'

export type PartFunctions = typeof PARTS

const JSON_TYPE = { 'content-type': 'application/json' }
const PARTS = { orders, status, hooks, edge }

/** order-api: a document with its event, an answer, the event's publication, and its clearance. */
async function orders(start: StartPart): Promise<string> {
  const [store, bus] = [await openStore(start, 'orders'), openBus(start, 'parts-orders')]
  return serve(async (body) => {
    const id = idOf(body)
    await store.insert({ _id: id, event: EVENT })
    void bus.publish('order.created', id).then(() => store.clear(id))
    return JSON.stringify({ data: { transaction: { id } }, checkout: { intent: id } })
  })
}

/** payment-status: a document of each order, and its event. */
async function status(start: StartPart): Promise<string> {
  const [store, bus] = [await openStore(start, 'transactions', DELAYED), openBus(start, 'parts-status')]
  bus.consume('orderCreated', 200, async (id) => {
    if (await store.insert({ _id: id, event: EVENT }))
      void bus.publish('transaction.status-changed', `${id}.1`).then(() => store.clear(id))
  })
  return ''
}

/** webhook-dispatcher: a POST for each event, and the record that it was taken. */
async function hooks(start: StartPart): Promise<string> {
  const [store, bus] = [await openStore(start, 'deliveries', DELAYED), openBus(start, 'parts-hooks')]
  const { origin, pathname } = new URL(start.webhookUrl)
  const pool = new Pool(origin, { connections: 100, pipelining: 1, connect: { ca: start.ca } })
  bus.consume('statusChanged', 400, async (messageId) => {
    await post(pool, pathname, EVENT, { 'webhook-id': messageId })
    await store.insert({ _id: messageId })
  })
  return ''
}

/** api-gateway: a server that passes a body on, and the answer back. */
async function edge({ ordersUrl }: StartPart): Promise<string> {
  const pool = new Pool(ordersUrl, { connections: 128, pipelining: 1 })
  return serve((body) => post(pool, '/', body))
}

async function post(pool: Pool, path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<string> {
  const answer = await pool.request({ method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}`)
  return text
}

/** The id of an order's documents, from the merchant's own order id. */
function idOf(body: Buffer): string {
  const { order_id: orderId } = JSON.parse(body.toString()) as { order_id: string }
  return orderId.replaceAll(/[^0-9A-Za-z]/gu, '').toUpperCase()
}

serveProgram(import.meta.filename, PARTS)
