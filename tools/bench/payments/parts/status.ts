/** What payment-status is made of: a document of each order, a change for each report, and an event of both. */
import { createWriteStream } from 'node:fs'
import { Pool } from 'undici'
import { consume } from '@gateway/messaging'
import { createBatcher, silentLog } from '@gateway/service-kit'
import { serveCommands } from '../program.ts'
import { EVENT, batchFinds, idOf, LINGER, openBus, openStore, serve, type Backing } from './common.ts'
import { CUSTOMERS, SEARCH } from './paths.ts'

export interface StartStatus extends Backing {
  readonly documentBytes: number
  readonly ordersUrl: string
  /** Gets a line for each change when it is committed, as the service's own log does. */
  readonly logFile: string
}

serveCommands<StartStatus, { url: string }>(async (start) => {
  const store = await openStore(start, 'transactions', LINGER)
  const bus = openBus(start, 'parts-status')
  const log = createWriteStream(start.logFile)
  const filler = 'x'.repeat(start.documentBytes)
  const committed = (id: string, sequence: number): void => {
    const time = new Date().toISOString()
    log.write(`{"time":"${time}","message":"status changed","transaction_id":"${id}","sequence":${sequence}}\n`)
    void bus.publish('transaction.status-changed', `${id}.${sequence}`).then(() => store.clear(id))
  }
  consume(bus.broker, {
    queue: bus.declared.queues.orderCreated,
    prefetch: 200,
    publisher: bus.publisher,
    log: silentLog,
    async handle({ messageId }) {
      if (await store.insert({ _id: messageId, filler, event: EVENT })) committed(messageId, 1)
      return 'ack'
    },
  })
  const find = batchFinds(store.collection)
  const pool = new Pool(start.ordersUrl, { connections: 16, pipelining: 1 })
  const customerOf = createBatcher<string, string | undefined>({
    maxBatchSize: 100,
    maxQueued: 5000,
    run: async (ids) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await pool.request({ method: 'POST', path: CUSTOMERS, headers, body: JSON.stringify(ids) })
      const customers = (await answer.body.json()) as (string | undefined)[]
      return customers.map((value) => ({ status: 'fulfilled', value }))
    },
  })
  const search = async (body: Buffer): Promise<string> => {
    const found = await find(idOf((JSON.parse(body.toString()) as { order_id: string }).order_id))
    if (!found) throw new Error('it is not there')
    return JSON.stringify({ ...found, customer: await customerOf(found._id) })
  }
  // A GET looks a transaction up, a POST reports on it.
  const url = await serve(async (body, { method, url: path = '' }) => {
    if (path === SEARCH) return search(body)
    if (method === 'GET') return JSON.stringify((await store.collection.findOne({ _id: path.slice(1) })) ?? {})
    const { id } = JSON.parse(body.toString()) as { id: string }
    const change = { $set: { status: 'Success', event: EVENT } }
    const { matchedCount } = await store.collection.updateOne({ _id: id, status: { $exists: false } }, change)
    if (matchedCount === 0) throw new Error(`${id} is not there`)
    committed(id, 2)
    return '{}'
  })
  return { url }
})
