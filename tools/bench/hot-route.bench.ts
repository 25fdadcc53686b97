import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import { createMetrics, silentLog } from '@gateway/service-kit'
import { createApp, listen, type HotRoute } from '@gateway/service-kit/http'

/**
 * What the framework costs the process that serves: the same route, by the shortcut and by Express, in another process.
 * `node tools/bench/hot-route.bench.ts` prints both and their ratio; docs/adr/0009 leans on it.
 */
const CONNECTIONS = 32
const ROUND_MS = 1000
const ROUNDS = 8
const BODY = JSON.stringify({ order_id: 'ORD-1001', amount: '499.00', customer: { name: 'Asha Rao', phone: '9876543210' } })
/** The second blank sends a call the framework's way. */
const CONTENT_TYPES = { shortcut: 'application/json', express: 'application/json;  charset=utf-8' } as const

if (process.argv[2] === 'server') await serve()
else await compare()

async function compare(): Promise<void> {
  const server = fork(import.meta.filename, ['server'])
  const [url] = (await once(server, 'message')) as [string]
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  const best = { shortcut: Infinity, express: Infinity }
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ['express', 'shortcut'] as const) {
      const cpuUs = await measure(pool, server, CONTENT_TYPES[way])
      best[way] = Math.min(best[way], cpuUs)
      console.log(`${way}: ${Math.round(cpuUs)} µs of CPU per request`)
    }
  }
  console.log(`ratio: Express costs ${(best.express / best.shortcut).toFixed(1)} times the CPU of the shortcut`)
  await pool.close()
  server.kill()
}

async function measure(pool: Pool, server: ReturnType<typeof fork>, contentType: string): Promise<number> {
  const headers = { 'content-type': contentType, authorization: `Bearer ${'t'.repeat(400)}` }
  const before = await cpuUsOf(server)
  let requests = 0
  const endsAt = performance.now() + ROUND_MS
  const caller = async () => {
    while (performance.now() < endsAt) {
      const { body } = await pool.request({ method: 'POST', path: '/orders', headers, body: BODY })
      await body.text()
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, caller))
  return ((await cpuUsOf(server)) - before) / requests
}

async function cpuUsOf(server: ReturnType<typeof fork>): Promise<number> {
  server.send('cpu')
  const [cpuUs] = (await once(server, 'message')) as [number]
  return cpuUs
}

async function serve(): Promise<void> {
  const answer = { data: { transaction: { id: '01J0000000000000000000TEST', status: 'Initiate' } } }
  const route: HotRoute = { path: '/orders', handle: () => Promise.resolve({ status: 201, body: answer }) }
  const app = createApp({ log: silentLog, metrics: createMetrics('bench'), checks: [], hotRoutes: [route], routes: [] })
  const { port } = await listen(app, { port: 0, host: '127.0.0.1' })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
  process.once('disconnect', () => process.exit())
  process.send?.(`http://127.0.0.1:${port}`)
}
