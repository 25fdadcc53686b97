/**
 * What a webhook costs the process that sends it: signed JSON over kept-alive TLS connections to a merchant's server in
 * another process. `node tools/bench/clients/webhook-client.ts` prints both clients and their ratio; docs/adr/0003 relies on it.
 */
import { Agent as HttpsAgent, createServer } from 'node:https'
import axios from 'axios'
import { Agent } from 'undici'
import { createCa, issueServerCertificate } from '@gateway/testkit/certificates'
import { compare, forkServer, tellPort } from './compare.ts'

const CONNECTIONS = 20
const BODY = JSON.stringify({
  txnid: '01J0000000000000000000TEST',
  merchantTxnId: 'ORD-1001',
  amount: '499.00',
  rrn: '123456789012',
  status: 'Success',
  payee: { name: 'Asha Rao', vpa: 'asha@bank' },
  metadata: { udf1: '', udf2: '', udf3: '' },
  datetime: '2026-01-01 12:00:00',
})
const HEADERS = {
  'content-type': 'application/json',
  'webhook-id': '01J0000000000000000000TEST.2',
  'webhook-timestamp': '1767225600',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
}

if (process.argv[2] === 'server') {
  const ca = await createCa()
  const server = createServer(await issueServerCertificate({ ca, hosts: ['127.0.0.1'] }), (request, response) => {
    request.resume().once('end', () => response.writeHead(200).end())
  })
  await tellPort(server, (port) => ({ url: `https://127.0.0.1:${port}`, ca: ca.cert }))
} else {
  const { address, child } = await forkServer<{ url: string; ca: string }>(import.meta.filename)
  const { url: origin, ca } = address
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1, allowH2: false, connect: { ca } })
  const http = axios.create({
    httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: CONNECTIONS, ca }),
    headers: HEADERS,
    maxRedirects: 0,
    proxy: false,
  })
  const sent = { origin, method: 'POST', path: '/hook', headers: HEADERS, body: BODY } as const
  const ways = {
    undici: async () => (await agent.request(sent)).body.text(),
    'axios, keep-alive': () => http.post(`${origin}/hook`, BODY, { responseType: 'text' }),
  }
  await compare({ what: 'webhooks', concurrency: CONNECTIONS, ways })
  await agent.close()
  child.kill()
}
