import { Router } from 'express'
import { Unavailable } from '@gateway/contracts'
import type { HealthCheck } from '../process/parts.ts'
import type { Log } from '../logging/logger.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createApp } from './http-app.ts'
import { listen, type RunningServer } from './listen.ts'

const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }
const dependencies = { database: true, broker: true }
const check = (name: keyof typeof dependencies, critical: boolean): HealthCheck => ({
  name,
  critical,
  isUp: () => dependencies[name],
})

const routes = Router()
  .post('/echo/:secret', (request, response) => void response.json({ body: request.body as unknown }))
  .get('/fails', () => {
    throw new Error('connected with password hunter2')
  })
  .get('/waits', () => {
    throw new Unavailable('backlog', 'Come back', { retryAfterSeconds: 3 })
  })

let server: RunningServer
beforeAll(async () => {
  const checks = [check('database', true), check('broker', false)]
  const app = createApp({ log, metrics: createMetrics('test'), checks, routes: [routes] })
  server = await listen(app, { port: 0, host: '127.0.0.1' })
})
beforeEach(() => Object.assign(dependencies, { database: true, broker: true }))
afterAll(() => server.stop(1000))

const call = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init)
const post = (body: string, type = 'application/json') =>
  call('/echo/1', { method: 'POST', body, headers: { 'content-type': type } })

// Proves: api/problem-json
test.each<[string, () => Promise<Response>, number, string]>([
  ['an unknown address', () => call('/nothing'), 404, 'not_found'],
  ['malformed JSON', () => post('{"a":'), 400, 'malformed_json'],
  ['another content type', () => post('a=1', 'application/x-www-form-urlencoded'), 415, 'content_type_unsupported'],
  ['a body above 64 KiB', () => post(JSON.stringify({ a: 'x'.repeat(65_536) })), 413, 'body_too_large'],
  ['what nobody expected', () => call('/fails'), 500, 'internal_error'],
  ['something that is away', () => call('/waits'), 503, 'backlog'],
])('%s is a problem with all its parts', async (_name, send, status, code) => {
  const response = await send()
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/u)
  expect(await response.json()).toEqual({
    type: `urn:payment-gateway:problem:${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code,
    request_id: response.headers.get('x-request-id'),
  })
})

test('a failure reveals nothing of its cause, and 503 has Retry-After', async () => {
  expect(await (await call('/fails')).text()).not.toMatch(/hunter2|at /u)
  expect((await call('/waits')).headers.get('retry-after')).toBe('3')
})

// Proves: api/request-id-in-every-response
test('every answer has a request id: the one that came, if it looks like one', async () => {
  for (const path of ['/nothing', '/fails', '/waits']) {
    expect((await call(path)).headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/u)
    // A UUID's digits, joined by its dashes, look like card numbers now and then.
    expect((await call(path)).headers.get('x-request-id')).not.toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-/u)
    const own = await call(path, { headers: { 'x-request-id': 'request-0001' } })
    expect(own.headers.get('x-request-id')).toBe('request-0001')
    const odd = await call(path, { headers: { 'x-request-id': 'a b\tc' } })
    expect(odd.headers.get('x-request-id')).not.toBe('a b\tc')
  }
})

test('the log knows the route of a request, and neither its path nor its body', async () => {
  lines.length = 0
  await call('/echo/secret-link', {
    method: 'POST',
    body: '{"vpa":"asha@okbank"}',
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret-token' },
  })
  expect(lines.join()).toContain('/echo/:secret')
  expect(lines.join()).not.toMatch(/secret-link|asha|secret-token/u)
})

// Proves: broker/state-is-a-metric
test('without its database a service is not ready; without its broker it is, degraded, and a metric says so', async () => {
  dependencies.broker = false
  const degraded = await call('/readyz')
  expect(degraded.status).toBe(200)
  expect(await degraded.json()).toEqual({ status: 'degraded', checks: { database: 'up', broker: 'down' } })
  expect(await (await call('/metrics')).text()).toMatch(/dependency_up\{dependency="broker",service="test"\} 0/u)

  dependencies.database = false
  const away = await call('/readyz')
  expect(away.status).toBe(503)
  expect(await away.json()).toMatchObject({ status: 'unavailable', checks: { database: 'down' } })
  expect((await call('/healthz')).status).toBe(200)
})
