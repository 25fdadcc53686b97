/**
 * One process of the bare parts: each function makes the documents, messages and HTTP exchanges of one service, and resolves with the
 * URL at which it takes calls.
 */
import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { serveProgram } from '@gateway-tools/load/program'
import { batched, DELAYED, EVENT, openBus, openStore, serve, type Backing } from './common.ts'

export type PartFunctions = typeof PARTS

export interface StartPart extends Backing {
  /** Documents are as large as the service's own. */
  readonly documentBytes: number
  /** URLs of the other parts, by role. */
  readonly urls: Readonly<Record<string, string>>
  readonly webhookUrl: string
  /** Signs the certificate of `webhookUrl`. */
  readonly ca: string
  /** Gets a line for each committed change, as the log of payment-status does. */
  readonly logFile: string
}

const JSON_TYPE = { 'content-type': 'application/json' }
const SEARCH = '/api/v1/order/search'
const REPORTS = '/reports'
const CUSTOMERS = '/customers'
const SHOWN_AGAIN_MS = 10

const PARTS = { orders, status, hooks, edge, network }

/** order-api: a document with its event, an answer, the event's publication, and its clearance. */
async function orders(start: StartPart): Promise<string> {
  const [store, bus, filler] = [await openStore(start, 'orders'), openBus(start, 'parts-orders'), fillerOf(start)]
  return serve(async (body, { url: path }) => {
    if (path === CUSTOMERS) {
      const found = await Promise.all((JSON.parse(body.toString()) as string[]).map((id) => store.find(id)))
      return JSON.stringify(found.map((order) => order?._id))
    }
    const id = idOf(body)
    await store.insert({ _id: id, filler, event: EVENT })
    void bus.publish('order.created', id).then(() => store.clear(id))
    return JSON.stringify({ transaction: { id }, checkout: { intent: id } })
  })
}

/** payment-status: a document of each order, a change for each report, and an event of both. */
async function status(start: StartPart): Promise<string> {
  const [store, bus, filler] = [await openStore(start, 'transactions', DELAYED), openBus(start, 'parts-status'), fillerOf(start)]
  const log = createWriteStream(start.logFile)
  const committed = (id: string, sequence: number): void => {
    const time = new Date().toISOString()
    log.write(`{"time":"${time}","message":"status changed","transaction_id":"${id}","sequence":${sequence}}\n`)
    void bus.publish('transaction.status-changed', `${id}.${sequence}`).then(() => store.clear(id))
  }
  bus.consume('orderCreated', 200, async (messageId) => {
    if (await store.insert({ _id: messageId, filler, event: EVENT })) committed(messageId, 1)
  })
  const ordersPool = poolTo(start, 'orders', 16)
  const customerOf = batched<string, string | undefined>(
    { maxBatchSize: 100 },
    async (ids) => JSON.parse(await post(ordersPool, CUSTOMERS, JSON.stringify(ids))) as (string | undefined)[],
  )
  // A GET looks a transaction up, a POST to another path than the search reports on it.
  return serve(async (body, { method, url: path = '' }) => {
    if (path === SEARCH) {
      const found = await store.find(idOf(body))
      if (!found) throw new Error('it is not there')
      return JSON.stringify({ ...found, customer: await customerOf(found._id) })
    }
    if (method === 'GET') return JSON.stringify((await store.collection.findOne({ _id: path.slice(1) })) ?? {})
    const { id } = JSON.parse(body.toString()) as { id: string }
    const change = { $set: { status: 'Success', event: EVENT } }
    const { matchedCount } = await store.collection.updateOne({ _id: id, status: { $exists: false } }, change)
    if (matchedCount === 0) throw new Error(`${id} is not there`)
    committed(id, 2)
    return '{}'
  })
}

/** webhook-dispatcher: a POST for each event, and the record that it was taken. It takes no calls. */
async function hooks(start: StartPart): Promise<string> {
  const [store, bus, filler] = [await openStore(start, 'deliveries', DELAYED), openBus(start, 'parts-hooks'), fillerOf(start)]
  const { origin, pathname } = new URL(start.webhookUrl)
  const pool = new Pool(origin, { connections: 100, pipelining: 1, connect: { ca: start.ca } })
  bus.consume('statusChanged', 400, async (messageId) => {
    await post(pool, pathname, EVENT, { 'webhook-id': messageId })
    await store.insert({ _id: messageId, filler })
  })
  return ''
}

/** api-gateway: a server that passes a body on, and the answer back. */
async function edge(start: StartPart): Promise<string> {
  const [ordersPool, statusPool] = [poolTo(start, 'orders'), poolTo(start, 'status')]
  return serve((body, { url: path }) => {
    if (path === SEARCH) return post(statusPool, SEARCH, body)
    return post(path === REPORTS ? statusPool : ordersPool, '/', body)
  })
}

/** The sandbox's network: a look at the order, a document of the payment, a report, and the record of the report. */
async function network(start: StartPart): Promise<string> {
  const [store, filler] = [await openStore(start, 'payments'), fillerOf(start)]
  const [edgePool, statusPool] = [poolTo(start, 'edge'), poolTo(start, 'status')]
  const record = batched<string, boolean>({ maxBatchSize: 100, maxDelayMs: 50, flushAtSize: 8 }, async (ids) => {
    const updates = ids.map((_id) => ({ updateOne: { filter: { _id }, update: { $set: { status: 'acknowledged' } } } }))
    await store.collection.bulkWrite(updates, { ordered: false })
    return ids.map(() => true)
  })
  const isKnown = async (id: string): Promise<boolean> => {
    const { body } = await statusPool.request({ method: 'GET', path: `/${id}` })
    return (await body.text()) !== '{}'
  }
  return serve(async (body) => {
    const { intent: id } = JSON.parse(body.toString()) as { intent: string }
    // The order's event may still be on its way to payment-status.
    while (!(await isKnown(id))) await sleep(SHOWN_AGAIN_MS)
    await store.insert({ _id: id, filler })
    void post(edgePool, REPORTS, JSON.stringify({ id })).then(() => record(id))
    return '{}'
  })
}

function fillerOf({ documentBytes }: StartPart): string {
  return 'x'.repeat(documentBytes)
}

function poolTo({ urls }: StartPart, role: string, connections = 128): Pool {
  return new Pool(urls[role] ?? '', { connections, pipelining: 1 })
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
