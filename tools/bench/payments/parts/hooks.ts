/** What the dispatcher is made of: a POST for each event, and the record that it was taken. */
import { Pool } from 'undici'
import { consume } from '@gateway/messaging'
import { silentLog } from '@gateway/service-kit'
import { serveCommands } from '../program.ts'
import { EVENT, LINGER, openBus, openStore, type Backing } from './common.ts'

export interface StartHooks extends Backing {
  readonly documentBytes: number
  readonly webhookUrl: string
  readonly ca: string
}

serveCommands<StartHooks, { url: string }>(async (start) => {
  const store = await openStore(start, 'deliveries', LINGER)
  const bus = openBus(start, 'parts-hooks')
  const { origin, pathname: path } = new URL(start.webhookUrl)
  const pool = new Pool(origin, { connections: 100, pipelining: 1, connect: { ca: start.ca } })
  const filler = 'x'.repeat(start.documentBytes)
  consume(bus.broker, {
    queue: bus.declared.queues.statusChanged,
    prefetch: 400,
    publisher: bus.publisher,
    log: silentLog,
    async handle({ messageId }) {
      const headers = { 'content-type': 'application/json', 'webhook-id': messageId }
      const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: EVENT })
      await body.dump()
      if (statusCode !== 200) return 'retry'
      await store.insert({ _id: messageId, filler })
      return 'ack'
    },
  })
  return { url: '' }
})
