import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, Agent } from 'node:http'
import axios from 'axios'
import { Pool } from 'undici'
import { compareClients } from './compare-clients.ts'

/**
 * What an HTTP client costs the process that uses it: JSON posts over kept-alive connections to a server in another
 * process. `node tools/bench/http-client.bench.ts` prints both and their ratio; docs/adr/0002 leans on it.
 */
const CONNECTIONS = 32
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

  await compareClients('requests', CONNECTIONS, {
    undici: async () => {
      const { body } = await pool.request({ method: 'POST', path: '/', headers: HEADERS, body: BODY })
      await body.text()
    },
    axios: () => http.post('/', BODY, { responseType: 'text' }),
  })
  await pool.close()
  server.kill()
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
