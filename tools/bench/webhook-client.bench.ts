import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent as HttpsAgent, createServer } from 'node:https'
import axios from 'axios'
import { Agent } from 'undici'
import { createCa, issueServerCertificate } from '@gateway/testkit'
import { compareClients } from './compare-clients.ts'

/**
 * What a webhook costs the process that sends it: signed JSON over kept-alive TLS connections to a merchant's server in
 * another process. `node tools/bench/webhook-client.bench.ts` prints both clients and their ratio; docs/adr/0003 leans on it.
 */
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

if (process.argv[2] === 'server') await serve()
else await compare()

async function compare(): Promise<void> {
  const server = fork(import.meta.filename, ['server'])
  const [{ url, ca }] = (await once(server, 'message')) as [{ url: string; ca: string }]
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1, allowH2: false, connect: { ca } })
  const http = axios.create({
    httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: CONNECTIONS, ca }),
    headers: HEADERS,
    maxRedirects: 0,
    proxy: false,
  })

  await compareClients('webhooks', CONNECTIONS, {
    undici: async () => {
      const { body } = await agent.request({ origin: url, method: 'POST', path: '/hook', headers: HEADERS, body: BODY })
      await body.text()
    },
    axios: () => http.post(`${url}/hook`, BODY, { responseType: 'text' }),
  })
  await agent.close()
  server.kill()
}

async function serve(): Promise<void> {
  const ca = await createCa()
  const server = createServer(await issueServerCertificate({ ca, hosts: ['127.0.0.1'] }), (request, response) => {
    request.resume().once('end', () => response.writeHead(200).end())
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address !== null && typeof address !== 'string') {
      process.send?.({ url: `https://127.0.0.1:${address.port}`, ca: ca.cert })
    }
  })
  process.once('disconnect', () => process.exit())
}
