import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Log } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit'
import type { FakeService, Seen } from './fake-service.ts'
import { CHECKOUT_LINK, refusalOf, startGatewayWithToken, type GatewayWithToken, type TestGateway } from './running-gateway.ts'

const LIMIT = 64 * 1024
const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }
let running: GatewayWithToken
let gateway: TestGateway
let service: FakeService
let authorized: Record<string, string>

beforeAll(async () => {
  running = await startGatewayWithToken({ log })
  ;({ gateway, service, authorized } = running)
})
beforeEach(() => service.reset())
afterAll(() => running.stop())

const create = (body: string, headers = authorized) =>
  fetch(`${gateway.url}/api/v1/orders/create`, { method: 'POST', headers, body })
const answerWith =
  (status: number, type: string, body: string, headers = {}) =>
  (_request: Seen, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type, ...headers }).end(body)

// Proves: faults/malformed-bodies
test('64 KiB pass, one byte more is 413, whether content-length says so or the body turns out longer', async () => {
  expect((await create('x'.repeat(LIMIT))).status).toBe(200)
  expect(service.last.body).toHaveLength(LIMIT)
  service.reset()
  expect(await refusalOf(await create('x'.repeat(LIMIT + 1)))).toEqual({ status: 413, code: 'body_too_large' })
  expect(await refusalOf(await chunked(LIMIT + 1))).toEqual({ status: 413, code: 'body_too_large' })
  expect(await refusalOf(await chunked(LIMIT + 200_000))).toEqual({ status: 413, code: 'body_too_large' })
  expect(service.seen).toHaveLength(0)
  expect((await chunked(LIMIT)).status).toBe(200)
})

async function chunked(size: number): Promise<Response> {
  const pieces = Array.from({ length: Math.ceil(size / 10_000) }, (_, index) =>
    Buffer.alloc(Math.min(10_000, size - index * 10_000), 'x'),
  )
  const init = { method: 'POST', headers: authorized, body: ReadableStream.from(pieces), duplex: 'half' }
  return fetch(`${gateway.url}/api/v1/orders/create`, init as RequestInit)
}

test('a checkout body is limited, too', async () => {
  const send = (size: number) =>
    fetch(`${gateway.url}/checkout/${CHECKOUT_LINK}/card`, {
      method: 'POST',
      body: ReadableStream.from([Buffer.alloc(size, 'x')]),
      duplex: 'half',
    })
  expect((await send(LIMIT)).status).toBe(200)
  expect(service.last.body).toHaveLength(LIMIT)
  expect(await refusalOf(await send(LIMIT + 1))).toEqual({ status: 413, code: 'body_too_large' })
})

// Proves: faults/malformed-bodies
test.each([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['text', { 'content-type': 'text/plain' }],
  ['JSON-like', { 'content-type': 'application/jsonx' }],
  ['compressed JSON', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
])('%s is 415', async (_name, headers) => {
  expect(await refusalOf(await create('{}', { ...authorized, ...headers }))).toEqual({
    status: 415,
    code: 'content_type_unsupported',
  })
  expect(service.seen).toHaveLength(0)
})

test('the service refuses malformed JSON, and its answer is passed on unchanged', async () => {
  const problem = '{"type":"urn:x","title":"Bad request","status":400,"detail":"d","code":"malformed_json","request_id":"r"}'
  service.answer = answerWith(400, 'application/problem+json', problem)
  const response = await create('{"order_id":')
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/u)
  expect(await response.text()).toBe(problem)
  expect(service.last.body.toString()).toBe('{"order_id":')
})

// Proves: api/callback-bytes-are-verified
test('the bytes of a signed callback arrive unchanged, with the signature headers', async () => {
  const body = Buffer.from('{ "amount":"1.00",\n "x":"\u00e9\\u00e9" }  ')
  const signature = { 'webhook-id': 'cb-1', 'webhook-timestamp': '1800000000', 'webhook-signature': 'v1,abc v1,def' }
  const response = await fetch(`${gateway.url}/network/v1/callbacks`, {
    method: 'POST',
    body,
    headers: { ...signature, 'content-type': 'application/json' },
  })
  expect(response.status).toBe(200)
  expect(service.last.body.equals(body)).toBe(true)
  expect(service.last.headers).toMatchObject(signature)
  expect(service.last.headers.authorization).toBeUndefined()
})

test('a client that disconnects in the middle of its body is not logged as a failure', async () => {
  lines.length = 0
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const head = [
    'host: x',
    `authorization: ${String(authorized['authorization'])}`,
    'content-type: application/json',
    'content-length: 100',
  ]
  socket.write(`POST /api/v1/orders/create HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`)
  await eventually(() => expect(socket.bytesWritten).toBeGreaterThan(0))
  socket.resetAndDestroy()
  await eventually(() => expect(lines.join()).toContain('"aborted":true'))
  expect((await create('{}')).status).toBe(200)
  expect(lines.join()).not.toContain('request failed')
})
