import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import express, { type Express } from 'express'
import { fastify } from 'fastify'
import { formatSigningSecret } from '@gateway/contracts'
import { memoryStore, sign, type Order, type ReceiverOptions } from '@gateway/sdk'
import { createReceiver as expressReceiver } from '@gateway/sdk/express'
import { createReceiver as fastifyReceiver } from '@gateway/sdk/fastify'
import { createReceiver as fetchReceiver } from '@gateway/sdk/fetch'
import { fakeGateway, json } from './fake.ts'

/** Merchants still have it; it has no types here, and what is used of it is as in version 5. */
const express4 = createRequire(import.meta.url)('express4') as typeof express
const secret = formatSigningSecret(randomBytes(32))
/** Odd spacing: a body that is parsed and written again has other bytes. */
const body = '{ "txnid":"T1",  "merchantTxnId":"ORD-1","status":"Success","amount":"499.00","note":"नीली" }'
const paid = json(200, {
  data: { order: { order_id: 'ORD-1' }, transaction: { id: 'T1', status: 'Success', sequence: 3 } },
  checkout: null,
})

function receiverOptions() {
  const finals: Order[] = []
  const errors: unknown[] = []
  const options: ReceiverOptions = {
    gateway: fakeGateway([paid]).gateway,
    secrets: secret,
    store: memoryStore(),
    onFinal: (order) => void finals.push(order),
    onError: (error) => errors.push(error),
  }
  return { options, finals, errors }
}

type Send = (body: string, headers?: Record<string, string>) => Promise<number>
interface Running {
  readonly send: Send
  readonly stop: () => Promise<unknown>
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

async function listening(server: Server, path = '/hook'): Promise<Running> {
  const port = await portOf(server)
  return {
    send: async (text, headers = {}) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: text, headers })).status,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const startExpress = (app: Express) => listening(createServer((request, response) => void app(request, response)))

/** What Firebase, Nest and others do: the parser has read the stream, and the bytes are kept. */
const keepRawBody = (request: object, _response: unknown, bytes: Buffer) => void Object.assign(request, { rawBody: bytes })

/** Each version of Express with each parser that leaves the bytes, or does not read them. */
const expresses = [express, express4].flatMap((make, index): [string, (options: ReceiverOptions) => Promise<Running>][] => {
  const version = `express ${index === 0 ? 5 : 4}`
  const after = (parser: express.RequestHandler) => (options: ReceiverOptions) =>
    startExpress(make().use(parser).post('/hook', expressReceiver(options)))
  return [
    [`${version}, before json()`, (options) => startExpress(make().post('/hook', expressReceiver(options)).use(make.json()))],
    [`${version}, after raw()`, after(make.raw({ type: '*/*', limit: '2mb' }))],
    [`${version}, after text()`, after(make.text({ type: '*/*', limit: '2mb' }))],
    [`${version}, after urlencoded()`, after(make.urlencoded({ extended: true }))],
    [`${version}, after json() of another type`, after(make.json({ type: 'application/vnd.other' }))],
    [`${version}, after json() that keeps rawBody`, after(make.json({ verify: keepRawBody, limit: '2mb' }))],
  ]
})

const adapters: [string, (options: ReceiverOptions) => Promise<Running>][] = [
  ...expresses,
  ['node:http', (options) => listening(createServer(expressReceiver(options)))],
  [
    'fastify',
    async (options) => {
      const app = fastify()
      await app.register(fastifyReceiver(options), { prefix: '/hook' })
      app.post('/other', ({ body: parsed }, reply) => reply.send({ parsed }))
      await app.listen({ port: 0, host: '127.0.0.1' })
      const url = app.listeningOrigin
      return {
        async send(text, headers = {}) {
          const other = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
          // Other routes keep their parser.
          expect(await (await fetch(`${url}/other`, other)).json()).toEqual({ parsed: { a: 1 } })
          return (await fetch(`${url}/hook`, { method: 'POST', body: text, headers })).status
        },
        stop: () => app.close(),
      }
    },
  ],
  [
    'fetch',
    (options) => {
      const handler = fetchReceiver(options)
      return Promise.resolve({
        send: async (text, headers = {}) =>
          (await handler(new Request('https://merchant.example/hook', { method: 'POST', body: text, headers }))).status,
        stop: () => Promise.resolve(),
      })
    },
  ],
]

// Proves: sdk/adapters-read-the-bytes-themselves
test.each(adapters)(
  '%s: 200 for a genuine webhook, 401 for another, 413 for a long one, and still alive',
  async (_name, start) => {
    const { options, finals } = receiverOptions()
    const { send, stop } = await start(options)
    try {
      const headers = await sign(body, secret)
      expect(await send(body, headers)).toBe(200)
      expect(finals).toHaveLength(1)
      expect(await send(`${body} `, headers)).toBe(401)
      expect(await send(body, { ...headers, 'webhook-id': 'other' })).toBe(401)
      expect(await send('x'.repeat(1024 * 1024), { ...headers, 'content-type': 'text/plain' })).toBe(413)
      expect(await send('')).toBe(401)
      expect(await send(body, await sign(body, secret))).toBe(200)
    } finally {
      await stop()
    }
  },
)

// Proves: sdk/parsed-bodies-name-the-middleware-order
test.each([
  ['express 5', express],
  ['express 4', express4],
])('%s: a body that was parsed before becomes an error that names the order', async (_name, make) => {
  const { options, finals } = receiverOptions()
  const errors: unknown[] = []
  const app = make()
    .use(make.json())
    .post('/hook', expressReceiver(options))
    .use(((error, _request, response, _next) => {
      errors.push(error)
      response.status(500).end()
    }) satisfies express.ErrorRequestHandler)
  const { send, stop } = await startExpress(app)
  try {
    expect(await send(body, await sign(body, secret))).toBe(500)
    expect(String(errors[0])).toMatch(/before express\.json\(\)/u)
    expect(finals).toEqual([])
  } finally {
    await stop()
  }
})

// Proves: sdk/fastify-reports-errors
test('fastify: a body that was parsed before is 500, one that is too long is 413, and both are reported', async () => {
  const { options, finals, errors } = receiverOptions()
  const app = fastify()
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.headers['content-type'] === 'application/json') request.body = { txnid: 'T1' }
    done()
  })
  await app.register(fastifyReceiver(options), { prefix: '/hook' })
  try {
    const tooLong = await app.inject({ method: 'POST', url: '/hook', body: 'x'.repeat(1024 * 1024) })
    expect([tooLong.statusCode, tooLong.headers.connection]).toEqual([413, 'close'])
    expect(errors).toMatchObject([{ reason: 'body_too_long' }])
    const parsed = await app.inject({ method: 'POST', url: '/hook', body, headers: await sign(body, secret) })
    expect([parsed.statusCode, finals]).toEqual([500, []])
    expect(String(errors[1])).toMatch(/parsed before/u)
  } finally {
    await app.close()
  }
})

test('node:http: a request that was read before is 500 and reported', async () => {
  const { options, errors } = receiverOptions()
  const handler = expressReceiver(options)
  const server = createServer((request, response) => {
    request.resume().on('end', () => handler(request, response))
  })
  const { send, stop } = await listening(server)
  try {
    expect(await send(body, await sign(body, secret))).toBe(500)
    expect(String(errors[0])).toMatch(/parsed before/u)
  } finally {
    await stop()
  }
})

test('fetch: a body that was read before throws', async () => {
  const request = new Request('https://merchant.example/hook', { method: 'POST', body })
  await request.text()
  await expect(fetchReceiver(receiverOptions().options)(request)).rejects.toThrow(/before request\.json/u)
})

// Proves: sdk/receiver-ends-long-bodies
test.each([
  ['node:http', (options: ReceiverOptions) => createServer(expressReceiver(options))],
  ['express 5', (options: ReceiverOptions) => createServer(express().post('/hook', expressReceiver(options)))],
  ['express 4', (options: ReceiverOptions) => createServer(express4().post('/hook', expressReceiver(options)))],
])('%s: a body without an end is not read for long, and its connection ends', async (_name, start) => {
  const { options, errors } = receiverOptions()
  const server = start(options)
  const { promise: received, resolve: closed } = Promise.withResolvers<number>()
  server.on('connection', (socket) => socket.on('error', () => undefined).on('close', () => closed(socket.bytesRead)))
  const sender = connect(await portOf(server), '127.0.0.1')
  try {
    // The receiver ends the connection while the sender writes.
    sender.on('error', () => undefined).resume()
    sender.write('POST /hook HTTP/1.1\r\nhost: merchant.example\r\ncontent-length: 1000000000000\r\n\r\n')
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const send = (): void => {
      if (!sender.destroyed) sender.write(chunk, () => setImmediate(send))
    }
    send()
    expect(await received).toBeLessThan(4 * 1024 * 1024)
    expect(errors).toMatchObject([{ reason: 'body_too_long' }])
  } finally {
    sender.destroy()
    server.close()
    server.closeAllConnections()
  }
})

test('fetch: a body without an end is answered with 413, also when its sender does not let go', async () => {
  let pulled = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1
      controller.enqueue(new Uint8Array(64 * 1024))
    },
    cancel: () => new Promise(() => undefined),
  })
  const request = new Request('https://merchant.example/hook', { method: 'POST', body: endless, duplex: 'half' })
  expect((await fetchReceiver(receiverOptions().options)(request)).status).toBe(413)
  expect(pulled).toBeLessThan(10)
})
