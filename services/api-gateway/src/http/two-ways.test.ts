/** Every `POST` route, sent so that the hot proxy may take it, and sent so that Express must. */
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { Router } from 'express'
import { MERCHANT_SERVICES } from '@gateway/contracts'
import { createMetrics, silentLog, stopAll, type Stoppable } from '@gateway/service-kit'
import { listen } from '@gateway/service-kit/http'
import { createRateLimiter, makeClientAddress } from '@gateway/service-kit/limits'
import { FakeService, type Seen } from '../../test/fake-service.ts'
import { createUpstreamPool, type Upstream } from '../clients/upstream-pool.ts'
import { audienceOf } from '../clients/upstreams.ts'
import { createExchangeGate, createStrangerGate } from '../use-cases/admit-strangers.ts'
import { makeExchangeTokens } from '../use-cases/exchange-tokens.ts'
import { createUpstreamShares } from '../use-cases/share-upstreams.ts'
import { apiRouter } from './api-router.ts'
import type { Operation } from '../operations/operation.ts'
import { apiRoutes, timeoutMsOf, type ApiRoutes } from '../operations/operations.ts'
import { gatewayApp } from './app.ts'
import { createCallbackGate } from './callback-gate.ts'
import { withHotProxy } from './hot-proxy.ts'

type Way = 'ordinary' | 'chunked'
interface PostRoute {
  readonly path: string
  readonly operation: Operation
}

const ROUTES: ApiRoutes = apiRoutes({ sandbox: false, simulator: true })
const POSTS: PostRoute[] = Object.entries(ROUTES).flatMap(([path, { POST: operation }]) =>
  operation ? [{ path: path.replace(':id', '01J0.2'), operation }] : [],
)
const UPSTREAM_TIMEOUT_MS = 5000
const PER_SECOND = 2
const HEADER = { alg: 'dir', enc: 'A256GCM', kid: `key_sandbox_${'a1'.repeat(12)}` }
const TOKEN = `${Buffer.from(JSON.stringify(HEADER)).toString('base64url')}..${'n'.repeat(16)}.x.${'t'.repeat(22)}`
const PROBLEM = '{"type":"urn:x","title":"t","status":409,"detail":"d","code":"order_id_conflict","request_id":"r"}'

let service: FakeService
let upstream: Upstream
let timeouts: (number | undefined)[] = []
let buffered = 0
const parts: Stoppable[] = []

beforeAll(async () => {
  service = await FakeService.start()
  const pool = createUpstreamPool({ name: 'any', url: service.url, timeoutMs: UPSTREAM_TIMEOUT_MS, connections: 64 })
  parts.push({ name: 'pool', stop: () => pool.close() })
  upstream = {
    ...pool,
    request(request) {
      timeouts.push(request.timeoutMs)
      return pool.request(request)
    },
    requestBuffered(request) {
      timeouts.push(request.timeoutMs)
      buffered += 1
      return pool.requestBuffered(request)
    },
  }
})
beforeEach(() => {
  service.reset()
  timeouts = []
  buffered = 0
})
afterAll(async () => {
  await stopAll(silentLog, parts, 3000)
  await service.stop()
})

/** A gateway with a cached token, and limits of their own. */
async function startGateway(perSecond = 0, allowedNetworks: string[] = []): Promise<string> {
  const now = () => new Date(1_800_000_000_000)
  const whenRevoked = () => () => undefined
  const unlimited = createRateLimiter(0, () => 0)
  const exchangeTokens = makeExchangeTokens({
    exchange: (_token, services) =>
      Promise.resolve({
        internal_tokens: Object.fromEntries(services.map((service) => [service, `for ${service}`])),
        expires_at: new Date(now().getTime() + 60_000).toISOString(),
        merchant_id: 'mer_1',
        credential_id: 'key_1',
      }),
    revocations: { isFresh: () => true, isRevoked: () => false, poll: () => Promise.resolve(), whenRevoked },
    gate: createExchangeGate({
      strangers: createStrangerGate(unlimited),
      limits: { create: unlimited, read: unlimited, write: unlimited },
    }),
    environment: 'sandbox',
    now,
  })
  for (const service of MERCHANT_SERVICES) await exchangeTokens(TOKEN, service, { address: '127.0.0.1', rate: 'read' })
  const limiter = () => createRateLimiter(perSecond, () => 0)
  const upstreams = {
    authToken: upstream,
    orderApi: upstream,
    paymentStatus: upstream,
    callbacks: upstream,
    listeners: upstream,
    webhookDispatcher: upstream,
    networkSimulator: upstream,
  }
  const limits = { create: limiter(), read: limiter(), write: limiter(), anonymous: limiter() }
  const clientAddress = makeClientAddress([])
  const callbacks = createCallbackGate({ allowedNetworks, strangers: createStrangerGate(limiter()), clientAddress })
  const api = {
    routes: ROUTES,
    upstreams,
    exchangeTokens,
    whenRevoked,
    limits,
    clientAddress,
    callbacks,
    upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS,
    limitPublic: () => undefined,
    takePlace: createUpstreamShares(),
  }
  const metrics = createMetrics('test')
  const app = gatewayApp({ ...api, log: silentLog, metrics, checks: [], routes: [apiRouter(api)], documents: Router() })
  const server = await listen(withHotProxy(app, api, { log: silentLog, metrics, edge: true }), { port: 0, host: '127.0.0.1' })
  parts.push(server)
  return `http://127.0.0.1:${server.port}`
}

const BODY = Buffer.from('{ "order_id":"ORD-1", "name":"अशा" }')

interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

/** The hot proxy takes only bodies of a known length. */
async function send(way: Way, url: string, { bytes = BODY, ...more }: { bytes?: Buffer; type?: string } = {}): Promise<Answer> {
  const type = more.type ?? 'application/json'
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type, 'x-merchant-id': 'mer_other' }
  const body = way === 'ordinary' ? { body: bytes } : { body: ReadableStream.from([bytes]), duplex: 'half' }
  const response = await fetch(url, { method: 'POST', headers, ...body } as RequestInit)
  const { 'x-request-id': requestId = '', date: _, ...others } = Object.fromEntries(response.headers)
  return { status: response.status, headers: others, text: (await response.text()).replace(requestId, 'id') }
}

const received = ({ method, path, headers, body }: Seen) => {
  const { 'x-request-id': _, ...others } = headers
  return { method, path, body: body.toString(), headers: others }
}
const answerWith =
  (status: number, type: string, text: string, headers = {}) =>
  (_request: Seen, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...headers }).end(text)
const ANSWERS = {
  success: answerWith(201, 'application/json', '{"ok":true}', { server: 'x', 'cache-control': 'no-store', 'set-cookie': 'a=1' }),
  'a refusal': answerWith(409, 'application/problem+json', PROBLEM),
  'a problem': answerWith(503, 'application/problem+json', PROBLEM, { 'retry-after': '7' }),
  'a page of a proxy': answerWith(500, 'text/html', '<pre>at stack.js</pre>'),
}

// Proves: api/hot-routes-are-named
test('hot are the routes that ADR 9 names, and no others', async () => {
  const adr = await readFile(new URL('../../../../docs/adr/0009-hot-routes-without-the-framework.md', import.meta.url), 'utf8')
  const named = /^Hot are (.*?)\.$/mu.exec(adr)?.[1] ?? ''
  const hot = POSTS.filter(({ operation }) => operation.hot)
  expect([...named.matchAll(/`POST (\S+)`/gu)].map(([, path]) => path)).toEqual(hot.map(({ path }) => path))
})

describe.each(POSTS)('$path', ({ path, operation }) => {
  // Proves: api/hot-routes-answer-alike
  test('both ways give the service the same request and timeout, and the caller the same answer', async () => {
    const gateway = await startGateway()
    for (const answer of Object.values(ANSWERS)) {
      service.answer = answer
      const ordinary = await send('ordinary', gateway + path)
      const chunked = await send('chunked', gateway + path)
      expect(ordinary).toEqual(chunked)
      const [one, other] = service.seen.splice(0).map(received)
      expect(one).toEqual(other)
      if (operation.caller === 'merchant') {
        expect(one?.headers).toMatchObject({ authorization: `Bearer for ${audienceOf(operation.to)}` })
      }
    }
    expect(new Set(timeouts)).toEqual(new Set([timeoutMsOf(operation, UPSTREAM_TIMEOUT_MS)]))
    expect(buffered).toBe(operation.hot ? Object.keys(ANSWERS).length : 0)
  })

  // Proves: api/one-reader-of-bodies
  test.each<Way>(['ordinary', 'chunked'])('%s: the service gets the bytes as they came, or nothing', async (way) => {
    const url = (await startGateway()) + path
    service.answer = ANSWERS.success
    for (const bytes of [Buffer.from('\ufeff{}'), Buffer.from('{"a":"é"}', 'latin1'), Buffer.from('{}', 'utf16le')])
      for (const type of ['application/json', 'Application/JSON; charset="UTF-8"']) {
        expect((await send(way, url, { bytes, type })).status).toBe(201)
        expect(service.seen.splice(0).map(({ body }) => body)).toEqual([bytes])
      }
    for (const type of ['application/json; charset=iso-8859-1', 'application/json;charset=utf-16', 'text/json'])
      expect((await send(way, url, { type })).status).toBe(operation.caller === 'network' ? 201 : 415)
  })

  // Proves: api/hot-routes-answer-alike
  test('both ways draw on one rate limit', async () => {
    service.answer = ANSWERS.success
    const results: Record<Way, unknown> = { ordinary: undefined, chunked: undefined }
    for (const way of ['ordinary', 'chunked'] as const) {
      const gateway = await startGateway(PER_SECOND)
      const other: Way = way === 'ordinary' ? 'chunked' : 'ordinary'
      results[way] = [await send(other, gateway + path), await send(other, gateway + path), await send(way, gateway + path)]
    }
    expect(results.ordinary).toEqual(results.chunked)
    const last = operation.caller === 'network' ? 201 : 429
    expect(results.ordinary).toMatchObject([{ status: 201 }, { status: 201 }, { status: last }])
  })
})

/** The statuses of as many unsigned callbacks, one after the other. */
async function unsigned(way: Way, gateway: string, count: number): Promise<number[]> {
  service.answer = answerWith(401, 'application/problem+json', PROBLEM)
  const statuses: number[] = []
  for (let sent = 0; sent < count; sent++) statuses.push((await send(way, `${gateway}/network/v1/callbacks`)).status)
  return statuses
}

// Proves: api/unsigned-callbacks-are-limited
test.each(['ordinary', 'chunked'] as const)('%s callbacks that are not signed are limited by address', async (way) => {
  const gateway = await startGateway(PER_SECOND)
  expect(await unsigned(way, gateway, 4)).toEqual([401, 401, 429, 429])
  expect(service.seen).toHaveLength(2)
})

// Proves: api/rate-limit-not-for-signed-callbacks
test.each(['ordinary', 'chunked'] as const)('%s callbacks that are signed are not limited', async (way) => {
  const gateway = await startGateway(PER_SECOND)
  service.answer = ANSWERS.success
  const many = Array.from({ length: 20 }, () => send(way, `${gateway}/network/v1/callbacks`))
  // The first ones come before the address is known.
  await Promise.all(many)
  const later = await Promise.all(Array.from({ length: 20 }, () => send(way, `${gateway}/network/v1/callbacks`)))
  expect(new Set(later.map(({ status }) => status))).toEqual(new Set([201]))
})

// Proves: api/callbacks-from-allowed-networks
test.each(['ordinary', 'chunked'] as const)('%s callbacks are taken from the allowed networks only', async (way) => {
  const closed = await startGateway(PER_SECOND, ['203.0.113.0/24', '2001:db8::/32'])
  expect(await unsigned(way, closed, 1)).toEqual([403])
  expect(service.seen).toHaveLength(0)
  const open = await startGateway(PER_SECOND, ['127.0.0.0/8'])
  expect(await unsigned(way, open, 4)).toEqual([401, 401, 401, 401])
})
