/**
 * What the framework costs the process that serves: one route, as a hot route and by Express, in another process.
 * `node tools/bench/clients/hot-route.ts` prints both and their ratio; docs/adr/0009 relies on it.
 */
import { once } from 'node:events'
import { Pool } from 'undici'
import { createMetrics, silentLog } from '@gateway/service-kit'
import { createApp, listen, type HotRoute } from '@gateway/service-kit/http'
import { compare, forkServer, ownCpuUs } from './compare.ts'

const CONNECTIONS = 32
const BODY = JSON.stringify({ order_id: 'ORD-1001', amount: '499.00', customer: { name: 'Asha Rao', phone: '9876543210' } })
const ANSWER = { data: { transaction: { id: '01J0000000000000000000TEST', status: 'Initiate' } } }

if (process.argv[2] === 'server') {
  const route: HotRoute = { path: '/orders', handle: () => Promise.resolve({ status: 201, body: ANSWER }) }
  const app = createApp({ log: silentLog, metrics: createMetrics('bench'), checks: [], hotRoutes: [route], routes: [] })
  const { port } = await listen(app, { port: 0, host: '127.0.0.1' })
  process.on('message', () => process.send?.(ownCpuUs()))
  process.once('disconnect', () => process.exit())
  process.send?.(`http://127.0.0.1:${port}`)
} else {
  const { address: url, child } = await forkServer<string>(import.meta.filename)
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  const post = (contentType: string) => async () => {
    const headers = { 'content-type': contentType, authorization: `Bearer ${'t'.repeat(400)}` }
    return (await pool.request({ method: 'POST', path: '/orders', headers, body: BODY })).body.text()
  }
  // The second blank makes Express answer the request.
  const ways = { 'hot route': post('application/json'), Express: post('application/json;  charset=utf-8') }
  const cpuUs = async () => {
    child.send('cpu')
    const [used] = (await once(child, 'message')) as [number]
    return used
  }
  await compare({ what: 'requests', concurrency: CONNECTIONS, ways, cpuUs })
  await pool.close()
  child.kill()
}
