/** What the sandbox's network is made of: a look at the order, a document of the payment, a report, and the record of that. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { createBatcher } from '@gateway/service-kit'
import { serveCommands } from '../program.ts'
import { openStore, serve, type Backing } from './common.ts'
import { REPORTS } from './paths.ts'

export interface StartNetwork extends Backing {
  readonly documentBytes: number
  readonly edgeUrl: string
  readonly statusUrl: string
}

const AGAIN_MS = 10
const headers = { 'content-type': 'application/json' }

serveCommands<StartNetwork, { url: string }>(async (start) => {
  const store = await openStore(start, 'payments', {})
  const pool = (url: string): Pool => new Pool(url, { connections: 128, pipelining: 1 })
  const [edge, status] = [pool(start.edgeUrl), pool(start.statusUrl)]
  const filler = 'x'.repeat(start.documentBytes)
  // As the simulator records what was taken.
  const record = createBatcher<string, boolean>({
    maxBatchSize: 100,
    maxQueued: 5000,
    maxDelayMs: 50,
    flushAtSize: 8,
    run: async (ids) => {
      const updates = ids.map((_id) => ({ updateOne: { filter: { _id }, update: { $set: { status: 'acknowledged' } } } }))
      await store.collection.bulkWrite(updates, { ordered: false })
      return ids.map(() => ({ status: 'fulfilled', value: true }))
    },
  })

  const found = async (id: string): Promise<boolean> => {
    const { body } = await status.request({ method: 'GET', path: `/${id}` })
    return (await body.text()) !== '{}'
  }
  const report = async (id: string): Promise<void> => {
    const { body } = await edge.request({ method: 'POST', path: REPORTS, headers, body: JSON.stringify({ id }) })
    await body.dump()
    await record(id)
  }
  const url = await serve(async (body) => {
    const { intent } = JSON.parse(body.toString()) as { intent: string }
    // It may still be on its way.
    while (!(await found(intent))) await sleep(AGAIN_MS)
    await store.insert({ _id: intent, filler })
    void report(intent)
    return '{}'
  })
  return { url }
})
