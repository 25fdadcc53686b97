import { once } from 'node:events'
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCa, eventually, issueServerCertificate } from '@gateway/testkit'
import { createWebhookClient, type WebhookClient, type WebhookClientOptions } from '../src/sending/webhook-client.ts'

/** The client alone, against servers that misbehave in ways that a merchant's server can. */
const ca = await createCa()
const certificate = await issueServerCertificate({ ca, hosts: ['localhost', '127.0.0.1'] })
const open: { close: () => unknown }[] = []
afterEach(async () => {
  for (const { close } of open.splice(0)) await close()
})

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return (server.address() as AddressInfo).port
}
const secure = (answer: RequestListener) => listening(createServer(certificate, answer))

function aClient(options: Partial<WebhookClientOptions> = {}): WebhookClient {
  const client = createWebhookClient({
    timeoutMs: 1000,
    rules: { allowedHosts: new Set(['localhost']), ports: 'any' },
    extraCa: [ca.cert],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    now: () => new Date(),
    ...options,
  })
  open.push({ close: () => client.close() })
  return client
}
const send = (client: WebhookClient, url: string) =>
  client.send({ url, headers: { 'content-type': 'application/json' }, body: '{}' })

// Proves: webhooks/exchange-takes-10-s-at-most
test('an answer that drips without end is cut at the deadline of the whole exchange', async () => {
  let closed = false
  const port = await secure((_request, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('.'), 20)
    response.on('close', () => {
      clearInterval(drip)
      closed = true
    })
  })
  expect(await send(aClient(), `https://localhost:${port}/`)).toMatchObject({ status_code: 200, error: 'timeout' })
  await eventually(() => expect(closed).toBe(true))
})

// Proves: webhooks/answer-body-16-kib-at-most
test('an endless answer is read to 16 KiB, and then its connection is closed', async () => {
  let sent = 0
  let closed = false
  const port = await secure((_request, response) => {
    response.writeHead(200).on('close', () => (closed = true))
    const pour = (): void => {
      while (!closed) {
        sent += 1024
        if (!response.write('x'.repeat(1024))) return void response.once('drain', pour)
      }
    }
    pour()
  })
  const result = await send(aClient({ timeoutMs: 20_000 }), `https://localhost:${port}/`)
  expect(result).toMatchObject({ status_code: 200, error: null, response_excerpt: 'x'.repeat(1024) })
  await eventually(() => expect(closed).toBe(true))
  // The server sent only what fits in the socket buffers of both sides.
  expect(sent).toBeLessThan(16 * 1024 * 1024)
})

// Proves: webhooks/address-literals-are-checked
test.each(['https://127.0.0.1', 'https://0x7f000001', 'https://[::1]'])(
  '%s is refused at the connection too: an address never reaches a name lookup',
  async (origin) => {
    let requests = 0
    const port = await secure((_request, response) => {
      requests += 1
      response.end()
    })
    expect(await send(aClient(), `${origin}:${port}/`)).toMatchObject({ status_code: null, error: 'address_refused: loopback' })
    expect(requests).toBe(0)
  },
)

// Proves: spec/4-3-plain-http-never-used, webhooks/https-only
test('plain HTTP is never used, not even for a host that is allowed for development', async () => {
  let requests = 0
  const port = await listening(
    createPlainServer((_request, response) => {
      requests += 1
      response.end()
    }),
  )
  expect(await send(aClient(), `http://localhost:${port}/`)).toMatchObject({ status_code: null, error: 'address_refused' })
  expect(requests).toBe(0)
})

// Proves: webhooks/attempt-records-its-address
test('the recorded address is the remote end: of a new or kept-alive connection, or one refused by the system or by the guard', async () => {
  const port = await secure((_request, response) => void response.end())
  const client = aClient()
  for (let again = 0; again < 2; again++) {
    expect(await send(client, `https://localhost:${port}/`)).toMatchObject({ status_code: 200, address: `127.0.0.1:${port}` })
  }
  const closed = createPlainServer()
  const closedPort = await listening(closed)
  closed.close()
  expect(await send(client, `https://localhost:${closedPort}/`)).toMatchObject({
    error: 'connection_refused',
    address: `127.0.0.1:${closedPort}`,
  })
  expect(await send(client, `https://elsewhere.example:${port}/`)).toMatchObject({
    error: 'address_refused: loopback',
    address: '127.0.0.1',
  })
})

// Proves: webhooks/attempt-records-its-address
test('concurrent attempts have an address each', async () => {
  const ports = await Promise.all([1, 2, 3].map(() => secure((_request, response) => void response.end())))
  const client = aClient({ timeoutMs: 20_000 })
  const all = Array.from({ length: 30 }, (_, index) => ports[index % 3] ?? 0)
  const results = await Promise.all(all.map((port) => send(client, `https://localhost:${port}/`)))
  expect(results.map(({ error }) => error)).toEqual(all.map(() => null))
  expect(results.map(({ address }) => address)).toEqual(all.map((port) => `127.0.0.1:${port}`))
})

// Proves: webhooks/no-environment-proxy
test('a proxy from the environment is not used', async () => {
  let asked = 0
  const proxy = createPlainServer().on('connect', (_request, socket) => {
    asked += 1
    socket.destroy()
  })
  const proxyPort = await listening(proxy)
  const port = await secure((_request, response) => void response.end())
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY']
  const before = names.map((name) => [name, process.env[name]] as const)
  try {
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxyPort}`
    expect(await send(aClient(), `https://localhost:${port}/`)).toMatchObject({ status_code: 200, error: null })
    expect(asked).toBe(0)
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
  }
})
