import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import express, { type Express } from 'express'
import { fastify } from 'fastify'
import { formatSigningSecret } from '@gateway/contracts'
import { memoryStore, sign, type Order, type ReceiverOptions } from '@gateway/sdk'
import { createReceiver as expressReceiver } from '@gateway/sdk/express'
import { createReceiver as fastifyReceiver } from '@gateway/sdk/fastify'
import { createReceiver as fetchReceiver } from '@gateway/sdk/fetch'
import { fakeGateway, json } from './fake.ts'

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

async function listening(server: Server, path = '/hook'): Promise<Running> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
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

const adapters: [string, (options: ReceiverOptions) => Promise<Running>][] = [
  [
    'express, before express.json()',
    (options) => startExpress(express().post('/hook', expressReceiver(options)).use(express.json())),
  ],
  [
    'express, after express.raw()',
    (options) => startExpress(express().post('/hook', express.raw({ type: '*/*', limit: '1mb' }), expressReceiver(options))),
  ],
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
test.each(adapters)('%s: 200 for a genuine webhook, 401 for another, and still alive', async (_name, start) => {
  const { options, finals } = receiverOptions()
  const { send, stop } = await start(options)
  try {
    const headers = await sign(body, secret)
    expect(await send(body, headers)).toBe(200)
    expect(finals).toHaveLength(1)
    expect(await send(`${body} `, headers)).toBe(401)
    expect(await send(body, { ...headers, 'webhook-id': 'other' })).toBe(401)
    expect(await send('x'.repeat(1024 * 1024), headers)).toBe(401)
    expect(await send('')).toBe(401)
    expect(await send(body, await sign(body, secret))).toBe(200)
  } finally {
    await stop()
  }
})

// Proves: sdk/parsed-bodies-name-the-middleware-order
test('express: a body that was parsed before becomes an error that names the order', async () => {
  const { options, finals } = receiverOptions()
  const errors: unknown[] = []
  const app = express()
    .use(express.json())
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
test('fastify: a body that was parsed before is 500 and reported; one that is too long is 401 and not', async () => {
  const { options, finals, errors } = receiverOptions()
  const app = fastify()
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.headers['content-type'] === 'application/json') request.body = { txnid: 'T1' }
    done()
  })
  await app.register(fastifyReceiver(options), { prefix: '/hook' })
  try {
    const tooLong = await app.inject({ method: 'POST', url: '/hook', body: 'x'.repeat(1024 * 1024) })
    expect([tooLong.statusCode, errors]).toEqual([401, []])
    const parsed = await app.inject({ method: 'POST', url: '/hook', body, headers: await sign(body, secret) })
    expect([parsed.statusCode, finals]).toEqual([500, []])
    expect(errors.map(String)).toEqual([expect.stringMatching(/parsed before/u)])
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
