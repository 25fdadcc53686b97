/** What order-api is made of: a document with its event, an answer, the event's publication, and its clearance. */
import { randomBytes } from 'node:crypto'
import { serveCommands } from '../program.ts'
import { EVENT, openBus, openStore, serve, type Backing } from './common.ts'

export interface StartOrders extends Backing {
  readonly documentBytes: number
}

serveCommands<StartOrders, { url: string }>(async (start) => {
  const store = await openStore(start, 'orders', {})
  const bus = openBus(start, 'parts-orders')
  const filler = 'x'.repeat(start.documentBytes)
  const run = randomBytes(6).toString('hex').toUpperCase()
  let made = 0
  const url = await serve(async (body) => {
    JSON.parse(body.toString())
    const id = `${run}${++made}`
    await store.insert({ _id: id, filler, event: EVENT })
    void bus.publish('order.created', id).then(() => store.clear(id))
    return JSON.stringify({ transaction: { id }, checkout: { intent: id } })
  })
  return { url }
})
