import type { ServerResponse } from 'node:http'
import { eventually } from '@gateway/testkit'
import { FakeService, type Seen } from './fake-service.ts'
import {
  moreGateways,
  UNREACHABLE,
  post,
  refusalOf,
  startGatewayWithToken,
  type GatewayWithToken,
  type TestGateway,
} from './running-gateway.ts'

let running: GatewayWithToken
let gateway: TestGateway
let service: FakeService
let authorized: Record<string, string>

beforeAll(async () => {
  running = await startGatewayWithToken()
  ;({ gateway, service, authorized } = running)
})
beforeEach(() => service.reset())
afterAll(() => running.stop())
const startGateway = moreGateways(() => service.url)

const create = (body: string, headers = authorized) =>
  fetch(`${gateway.url}/api/v1/orders/create`, { method: 'POST', headers, body })
const answerWith =
  (status: number, type: string, body: string, headers = {}) =>
  (_request: Seen, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type, ...headers }).end(body)

test('status and body are passed on; the service’s internal headers are not', async () => {
  service.answer = answerWith(201, 'application/json', '{"data":1}', {
    server: 'x',
    'x-powered-by': 'y',
    'x-request-id': 'theirs',
    'set-cookie': 'a=1',
  })
  const response = await create('{}')
  expect(response.status).toBe(201)
  expect(await response.text()).toBe('{"data":1}')
  for (const name of ['server', 'x-powered-by', 'set-cookie']) expect(response.headers.get(name)).toBeNull()
  expect(response.headers.get('x-request-id')).not.toBe('theirs')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
})

// Proves: api/problems-hold-no-secret
test('a 5xx with a problem document is passed on; any other is replaced', async () => {
  const problem = '{"type":"urn:x","title":"t","status":503,"detail":"d","code":"database_unavailable","request_id":"r"}'
  service.answer = answerWith(503, 'application/problem+json', problem, { 'retry-after': '7' })
  const passed = await create('{}')
  expect(passed.headers.get('retry-after')).toBe('7')
  expect(await refusalOf(passed)).toEqual({ status: 503, code: 'database_unavailable' })

  service.answer = answerWith(500, 'text/html', '<pre>Error: secret\n    at stack.js:1</pre>')
  const hidden = await create('{}')
  expect(hidden.headers.get('retry-after')).toBe('1')
  const text = await hidden.clone().text()
  expect(text).not.toMatch(/secret|stack/u)
  expect(await refusalOf(hidden)).toEqual({ status: 502, code: 'upstream_failed' })
})

test('an unreachable service is 503, one that does not answer 504, one that closes the connection 502', async () => {
  const broken = await FakeService.start()
  const partial = await startGateway({
    upstreams: { authToken: running.auth.url, orderApi: UNREACHABLE, webhookDispatcher: broken.url },
    config: { upstreamTimeoutMs: 300 },
  })
  const unreachable = await post(`${partial.url}/api/v1/orders/create`, {}, authorized)
  expect(unreachable.headers.get('retry-after')).toBe('1')
  expect(await refusalOf(unreachable)).toEqual({ status: 503, code: 'upstream_unavailable' })

  // An open connection, so that on a busy machine it is not the connecting that takes too long.
  service.answer = answerWith(200, 'application/json', '{}')
  await eventually(async () => expect((await post(`${partial.url}/api/v1/order/search`, {}, authorized)).status).toBe(200))
  service.answer = () => undefined
  expect(await refusalOf(await post(`${partial.url}/api/v1/order/search`, {}, authorized))).toEqual({
    status: 504,
    code: 'upstream_timeout',
  })

  broken.intercept = (request) => request.socket.destroy()
  const rotated = await post(`${partial.url}/api/v1/webhooks/endpoint/rotate-secret`, {}, authorized)
  expect(await refusalOf(rotated)).toEqual({ status: 502, code: 'upstream_failed' })
  await broken.stop()
})

test('requests beyond the queue of a slow service are refused at once', async () => {
  // No call times out while the test waits for the others.
  const patient = await startGateway({ upstreams: { authToken: running.auth.url }, config: { upstreamTimeoutMs: 120_000 } })
  const call = async (): Promise<number> => {
    const response = await post(`${patient.url}/api/v1/orders/create`, {}, authorized)
    await response.text()
    return response.status
  }
  const waiting: ServerResponse[] = []
  service.answer = (_request, response) => void waiting.push(response)
  // On a busy machine, opening a connection may take too long: such a call is made again.
  const occupying = Array.from({ length: 128 }, async () => {
    let status = 503
    while (status === 503) status = await call()
    return status
  })
  await eventually(() => expect(waiting.length).toBe(128))
  let refused = 0
  const calls = Array.from({ length: 172 }, async () => {
    const status = await call()
    if (status === 503) refused += 1
    return status
  })
  // As many as there are connections wait in the queue.
  await eventually(() => expect(refused).toBe(44))
  service.answer = answerWith(200, 'application/json', '{}')
  for (const response of waiting) response.end('{}')
  expect(new Set(await Promise.all(occupying))).toEqual(new Set([200]))
  expect((await Promise.all(calls)).filter((status) => status === 200)).toHaveLength(128)
})

test('after a closed connection a repeatable request is sent a second time, any other is not', async () => {
  let asked = 0
  service.intercept = (request, response) => {
    asked += 1
    if (asked % 2 === 1) return void request.socket.destroy()
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'))
  }
  expect((await create('{}')).status).toBe(200)
  expect(asked).toBe(2)
  expect((await post(`${gateway.url}/api/v1/webhooks/test`, {}, authorized)).status).toBe(502)
  expect(asked).toBe(3)
})
