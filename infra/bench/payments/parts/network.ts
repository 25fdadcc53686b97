/** What the sandbox's network is made of: a document of each payment, a report, and the change that says it was taken. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { serveCommands } from '../program.ts'
import { openStore, serve, type Backing } from './common.ts'

export interface StartNetwork extends Backing {
  readonly documentBytes: number
  readonly statusUrl: string
}

const AGAIN_MS = 20
const headers = { 'content-type': 'application/json' }

serveCommands<StartNetwork, { url: string }>(async (start) => {
  const store = await openStore(start, 'payments', {})
  const pool = new Pool(start.statusUrl, { connections: 128, pipelining: 1 })
  const filler = 'x'.repeat(start.documentBytes)
  const report = async (id: string): Promise<void> => {
    for (;;) {
      const { statusCode, body } = await pool.request({ method: 'POST', path: '/', headers, body: JSON.stringify({ id }) })
      await body.dump()
      if (statusCode === 200) break
      await sleep(AGAIN_MS)
    }
    await store.clear(id)
  }
  const url = await serve(async (body) => {
    const { intent } = JSON.parse(body.toString()) as { intent: string }
    await store.insert({ _id: intent, filler })
    void report(intent)
    return '{}'
  })
  return { url }
})
