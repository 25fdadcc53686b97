import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, Agent } from 'node:http'
import axios from 'axios'
import { Pool } from 'undici'

/**
 * What an HTTP client costs the process that uses it: JSON posts over kept-alive connections to a server in another
 * process. `node infra/bench/http-client.bench.ts` prints both and their ratio; docs/adr/0002 leans on it.
 */
const CONNECTIONS = 32
const ROUND_MS = 1500
const ROUNDS = 2
const BODY = JSON.stringify({ order_id: 'ORD-1001', amount: '499.00', customer: { name: 'Asha Rao', phone: '9876543210' } })
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${'t'.repeat(400)}` }

if (process.argv[2] === 'server') serve()
else await compare()

async function compare(): Promise<void> {
  const server = fork(import.meta.filename, ['server'])
  const [url] = (await once(server, 'message')) as [string]
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  const http = axios.create({
    baseURL: url,
    httpAgent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
    headers: HEADERS,
  })

  const clients = {
    'undici Pool.request': async () => {
      const { body } = await pool.request({ method: 'POST', path: '/', headers: HEADERS, body: BODY })
      await body.text()
    },
    'axios, keep-alive': async () => {
      await http.post('/', BODY, { responseType: 'text' })
    },
  }
  const cpuUs: number[] = []
  for (const [name, call] of Object.entries(clients)) {
    let best = Infinity
    for (let round = 0; round < ROUNDS; round++) {
      const { requests, cpuUsPerRequest } = await measure(call)
      best = Math.min(best, cpuUsPerRequest)
      console.log(
        `${name}: ${Math.round((requests * 1000) / ROUND_MS)} requests/s, ${Math.round(cpuUsPerRequest)} µs of CPU each`,
      )
    }
    cpuUs.push(best)
  }
  const [undiciUs = NaN, axiosUs = NaN] = cpuUs
  console.log(`ratio: axios costs ${(axiosUs / undiciUs).toFixed(1)} times the CPU of undici`)
  await pool.close()
  server.kill()
}

async function measure(call: () => Promise<void>): Promise<{ requests: number; cpuUsPerRequest: number }> {
  let requests = 0
  const endsAt = performance.now() + ROUND_MS
  const before = process.cpuUsage()
  const caller = async () => {
    while (performance.now() < endsAt) {
      await call()
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, caller))
  const { user, system } = process.cpuUsage(before)
  return { requests, cpuUsPerRequest: (user + system) / requests }
}

function serve(): void {
  const answer = JSON.stringify({ data: { transaction: { id: '01J0000000000000000000TEST', status: 'Initiate' } } })
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(201, { 'content-type': 'application/json' }).end(answer))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address !== null && typeof address !== 'string') process.send?.(`http://127.0.0.1:${address.port}`)
  })
  process.once('disconnect', () => process.exit())
}
