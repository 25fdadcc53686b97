import { Router } from 'express'
import { Refused } from '@gateway/contracts'
import type { HotRoute } from './hot-route.ts'
import { createApp } from './http-app.ts'
import { listen, type RunningServer } from './listen.ts'
import type { Log, LogFields } from '../logging/logger.ts'
import { createMetrics } from '../metrics/metrics.ts'

const lines: (LogFields & { message: string })[] = []
const keep = (message: string, fields: LogFields = {}) => void lines.push({ message, ...fields })
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }

/** Tells what it was called with, or fails as its caller says. */
const route: HotRoute = {
  path: '/orders',
  handle({ get, body }) {
    const authorization = get('authorization')
    if (JSON.stringify(body) === '{"fail":"badly"}') return Promise.reject(new Error('connected with password hunter2'))
    if (authorization === undefined) return Promise.reject(new Refused('token_missing', 'There is no token'))
    return Promise.resolve({ status: 201, body: { authorization, body } })
  },
}

/** Tells the bytes that it was called with. */
const bytesRoute: HotRoute = {
  path: '/callbacks',
  reads: 'bytes',
  handle({ get, body }) {
    if (body.toString() === '"bad"') return Promise.reject(new Refused('signature_invalid', 'The signature is not valid'))
    return Promise.resolve({ status: 200, body: { id: get('webhook-id'), bytes: body.toString('base64') } })
  },
}

let server: RunningServer
beforeAll(async () => {
  const app = createApp({ log, metrics: createMetrics('test'), checks: [], hotRoutes: [route, bytesRoute], routes: [Router()] })
  server = await listen(app, { port: 0, host: '127.0.0.1' })
})
beforeEach(() => (lines.length = 0))
afterAll(() => server.stop(1000))

/** The same call both ways: on the hot route, and by Express because the content type has more blanks. */
const WAYS = { hot: 'application/json', framework: 'application/json  ; charset=utf-8' } as const
type Way = keyof typeof WAYS

async function post(way: Way, body: string, headers: Record<string, string> = { authorization: 'Bearer t' }, path = '/orders') {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    body,
    headers: { ...headers, 'content-type': WAYS[way], 'x-request-id': 'request-1234' },
  })
  const answer: unknown = await response.json()
  const { headers: answered } = response
  const named = ['content-type', 'x-request-id', 'www-authenticate', 'retry-after'].map((name) => answered.get(name))
  return { status: response.status, named, answer, framework: answered.get('vary') }
}

/** The framework logs no route for a request that it refuses before routing. */
const comparable = ({ duration_ms: _duration, error: _error, route: _route, ...line }: LogFields) => line

test.each<[string, string, Record<string, string> | undefined]>([
  ['an ordinary call', '{"order_id":"ORD-1","name":"अशा"}', undefined],
  ['no token', '{}', {}],
  ['malformed JSON', '{"a":', undefined],
  ['JSON that is not an object', '5', undefined],
  ['an unexpected error', '{"fail":"badly"}', undefined],
])('%s is answered and logged alike on the hot route and by the framework', async (_name, body, headers) => {
  const short = await post('hot', body, headers)
  const shortLines = lines.splice(0)
  const long = await post('framework', body, headers)
  expect(short).toEqual(long)
  expect(shortLines.map(comparable)).toEqual(lines.map(comparable))
  expect(shortLines.at(-1)).toMatchObject({ message: 'request', route: '/orders', status: short.status })
  expect(JSON.stringify(short)).not.toContain('hunter2')
})

test.each([
  ['bytes with blanks', '{ "a" :1 }\n', 200],
  ['bytes that are not JSON', '{"a":', 200],
  ['bytes that it refuses', '"bad"', 401],
])('%s reach a route that reads bytes as they are, either way', async (_name, body, status) => {
  const short = await post('hot', body, { 'webhook-id': 'msg-1' }, '/callbacks')
  const shortLines = lines.splice(0)
  const long = await post('framework', body, { 'webhook-id': 'msg-1' }, '/callbacks')
  expect(short).toEqual(long)
  expect(shortLines.map(comparable)).toEqual(lines.map(comparable))
  expect(short.status).toBe(status)
  if (status === 200) expect(short.answer).toEqual({ id: 'msg-1', bytes: Buffer.from(body).toString('base64') })
})

test('any other call goes to the framework', async () => {
  const call = (init: RequestInit) => fetch(`http://127.0.0.1:${server.port}/orders`, init)
  const statuses = [
    await call({ method: 'GET' }),
    await call({ method: 'POST', body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    await call({
      method: 'POST',
      body: JSON.stringify({ a: 'x'.repeat(65_536) }),
      headers: { 'content-type': 'application/json' },
    }),
    await call({ method: 'POST', body: 'x', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([404, 415, 413, 415])
})
