/** What order-api is made of: a document with its event, an answer, the event's publication, and its clearance. */
import { serveCommands } from '../program.ts'
import { EVENT, batchFinds, idOf, openBus, openStore, serve, type Backing } from './common.ts'
import { CUSTOMERS } from './paths.ts'

export interface StartOrders extends Backing {
  readonly documentBytes: number
}

serveCommands<StartOrders, { url: string }>(async (start) => {
  const store = await openStore(start, 'orders', {})
  const bus = openBus(start, 'parts-orders')
  const filler = 'x'.repeat(start.documentBytes)
  const find = batchFinds(store.collection)
  // What comes to the root is an order; what is looked up are customers, of several orders at once.
  const url = await serve(async (body, { url: path }) => {
    if (path === CUSTOMERS) {
      const ids = JSON.parse(body.toString()) as string[]
      return JSON.stringify((await Promise.all(ids.map((id) => find(id)))).map((order) => order?._id))
    }
    const id = idOf((JSON.parse(body.toString()) as { order_id: string }).order_id)
    await store.insert({ _id: id, filler, event: EVENT })
    void bus.publish('order.created', id).then(() => store.clear(id))
    return JSON.stringify({ transaction: { id }, checkout: { intent: id } })
  })
  return { url }
})
