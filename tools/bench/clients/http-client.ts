/**
 * What an HTTP client costs the process that uses it: JSON posts over kept-alive connections to a server in another
 * process. `node tools/bench/clients/http-client.ts` prints both clients and their ratio; docs/adr/0002 relies on it.
 */
import { Agent, createServer } from 'node:http'
import axios from 'axios'
import { Pool } from 'undici'
import { compare, forkServer, tellPort } from './compare.ts'

const CONNECTIONS = 32
const BODY = JSON.stringify({ order_id: 'ORD-1001', amount: '499.00', customer: { name: 'Asha Rao', phone: '9876543210' } })
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${'t'.repeat(400)}` }
const ANSWER = JSON.stringify({ data: { transaction: { id: '01J0000000000000000000TEST', status: 'Initiate' } } })

if (process.argv[2] === 'server') {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(201, { 'content-type': 'application/json' }).end(ANSWER))
  })
  await tellPort(server, (port) => `http://127.0.0.1:${port}`)
} else {
  const { address: url, child } = await forkServer<string>(import.meta.filename)
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  const http = axios.create({
    baseURL: url,
    httpAgent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
    headers: HEADERS,
  })
  const ways = {
    undici: async () => (await pool.request({ method: 'POST', path: '/', headers: HEADERS, body: BODY })).body.text(),
    'axios, keep-alive': () => http.post('/', BODY, { responseType: 'text' }),
  }
  await compare({ what: 'requests', concurrency: CONNECTIONS, ways })
  await pool.close()
  child.kill()
}
