import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Log } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit'
import { merchantToken, type TestCredential } from '../../auth-token/test/running-auth-token.ts'
import {
  bearer,
  FakeService,
  moreGateways,
  NOBODY,
  post,
  refusalOf,
  startRealAuthToken,
  startTestGateway,
  type Seen,
  type TestGateway,
} from './running-gateway.ts'

const LIMIT = 64 * 1024
const LINK = `01J0000000000000000000TEST-${'m'.repeat(24)}`
const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }

let real: Awaited<ReturnType<typeof startRealAuthToken>>
let service: FakeService
let gateway: TestGateway
let merchant: TestCredential
let authorized: Record<string, string>

beforeAll(async () => {
  real = await startRealAuthToken()
  merchant = await real.auth.newMerchant()
  authorized = { ...bearer(await merchantToken(merchant)), 'content-type': 'application/json' }
  service = await FakeService.start()
  gateway = await startTestGateway(service.url, { upstreams: { authToken: real.auth.url }, log })
})
beforeEach(() => service.reset())
const oneMore = moreGateways(() => service.url)
afterAll(async () => {
  await gateway.stop()
  await service.stop()
  await real.stop()
})

const create = (body: string, headers = authorized) =>
  fetch(`${gateway.url}/api/v1/orders/create`, { method: 'POST', headers, body })
const answerWith =
  (status: number, type: string, body: string, headers = {}) =>
  (_request: Seen, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type, ...headers }).end(body)

describe('bodies', () => {
  test('64 KiB pass, one byte more is 413, told before or found on the way', async () => {
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

  test('a checkout body is limited too', async () => {
    const send = (size: number) =>
      fetch(`${gateway.url}/checkout/${LINK}/card`, {
        method: 'POST',
        body: ReadableStream.from([Buffer.alloc(size, 'x')]),
        duplex: 'half',
      })
    expect((await send(LIMIT)).status).toBe(200)
    expect(service.last.body).toHaveLength(LIMIT)
    expect(await refusalOf(await send(LIMIT + 1))).toEqual({ status: 413, code: 'body_too_large' })
  })

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

  test('malformed JSON is the service’s to refuse, and its answer comes back as it is', async () => {
    const problem = '{"type":"urn:x","title":"Bad request","status":400,"detail":"d","code":"malformed_json","request_id":"r"}'
    service.answer = answerWith(400, 'application/problem+json', problem)
    const response = await create('{"order_id":')
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/u)
    expect(await response.text()).toBe(problem)
    expect(service.last.body.toString()).toBe('{"order_id":')
  })

  test('the bytes of a signed callback arrive untouched, with their headers', async () => {
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

  test('a caller that goes away in the middle of its body is nobody’s failure', async () => {
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
})

describe('addresses', () => {
  test.each([
    ['GET', '/api/v1/orders/create', 'POST'],
    ['DELETE', '/api/v1/webhooks/endpoint', 'PUT, GET'],
    ['OPTIONS', '/api/v1/order/search', 'POST'],
    ['GET', '/network/v1/callbacks', 'POST'],
    ['PUT', `/checkout/${LINK}`, 'GET, HEAD, POST'],
  ])('%s %s is 405 and tells what is allowed', async (method, path, allow) => {
    const response = await fetch(gateway.url + path, { method })
    expect(response.headers.get('allow')).toBe(allow)
    expect(await refusalOf(response)).toEqual({ status: 405, code: 'method_not_allowed' })
  })

  test.each([
    '/',
    '/api/v1/orders/create/',
    '/API/v1/orders/create',
    '/api/v1/orders',
    '/internal/v1/jwks.json',
    '/internal/v1/revocations',
    '/operator/v1/merchants',
    '/metrics',
    '/checkout/..%2finternal/v1/transactions/X',
    '/checkout/%2e%2e/internal',
    '/api/v1/webhooks/deliveries/..%2F..%2Finternal/resend',
  ])('%s is 404', async (path) => {
    const response = await fetch(gateway.url + path, { method: 'POST', headers: authorized, body: '{}' })
    expect(await refusalOf(response)).toEqual({ status: 404, code: 'not_found' })
    expect(response.headers.get('x-request-id')).toBeTruthy()
    expect(service.seen).toHaveLength(0)
  })

  test('an address that names a host is refused: the gateway is no open proxy', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.end(
      'POST http://elsewhere.example/network/v1/callbacks HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
    )
    const [head] = (await once(socket, 'data')) as [Buffer]
    expect(head.toString()).toMatch(/^HTTP\/1\.1 400 /u)
    expect(service.seen).toHaveLength(0)
  })

  test('the query and ids of a path travel on', async () => {
    await fetch(`${gateway.url}/api/v1/webhooks/deliveries?order_id=ORD-1&limit=5`, { headers: authorized })
    expect(service.last).toMatchObject({ method: 'GET', path: '/api/v1/webhooks/deliveries?order_id=ORD-1&limit=5' })
    await fetch(`${gateway.url}/api/v1/webhooks/deliveries/01J0.2/resend`, {
      method: 'POST',
      headers: authorized,
      body: '{"to":"current"}',
    })
    expect(service.last).toMatchObject({ method: 'POST', path: '/api/v1/webhooks/deliveries/01J0.2/resend' })
  })

  test('the simulator is there in the sandbox only', async () => {
    expect((await post(`${gateway.url}/api/v1/sandbox/simulate`, {}, authorized)).status).toBe(200)
    const production = await oneMore({
      upstreams: { networkSimulator: undefined, authToken: real.auth.url },
      config: { environment: 'production' },
    })
    expect((await post(`${production.url}/api/v1/sandbox/simulate`, {}, authorized)).status).toBe(404)
    expect((await fetch(production.url)).headers.get('strict-transport-security')).toMatch(/max-age=/u)
  })

  test('the API describes itself', async () => {
    const response = await fetch(`${gateway.url}/openapi.json`)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/u)
    expect(await response.json()).toMatchObject({ openapi: '3.1.0', paths: { '/api/v1/orders/create': {} } })
  })

  test('metrics are on their own port', async () => {
    expect(await (await fetch(`${gateway.metricsUrl}/metrics`)).text()).toContain('http_request_duration_seconds')
  })
})

describe('answers', () => {
  test('status and body come back; headers of the service that are its own business do not', async () => {
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

  test('a failure that is a problem is passed on; any other is hidden', async () => {
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

  test('a service that is away is 503, one that does not answer 504, one that breaks off 502', async () => {
    const broken = await FakeService.start()
    const partial = await oneMore({
      upstreams: { authToken: real.auth.url, orderApi: NOBODY, webhookDispatcher: broken.url },
      config: { upstreamTimeoutMs: 300 },
    })
    const away = await post(`${partial.url}/api/v1/orders/create`, {}, authorized)
    expect(away.headers.get('retry-after')).toBe('1')
    expect(await refusalOf(away)).toEqual({ status: 503, code: 'upstream_unavailable' })

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

  test('more calls than can wait for a slow service are refused at once', async () => {
    const waiting: ServerResponse[] = []
    service.answer = (_request, response) => void waiting.push(response)
    const counts = { refused: 0, served: 0 }
    const calls = Array.from({ length: 300 }, async () => {
      const response = await create('{}')
      await response.text()
      counts[response.status === 503 ? 'refused' : 'served'] += 1
    })
    // 128 connections, and as many in the queue.
    await eventually(() => expect(counts).toEqual({ refused: 44, served: 0 }))
    service.answer = answerWith(200, 'application/json', '{}')
    for (const response of waiting) response.end('{}')
    await Promise.all(calls)
    expect(counts).toEqual({ refused: 44, served: 256 })
  })

  test('what may be repeated is sent once more over a closed connection, what may not is not', async () => {
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
})

describe('checkout', () => {
  test('a page passes with its own headers and cookies, and its path is in no log', async () => {
    service.answer = (_request, response) => {
      response
        .writeHead(200, {
          'content-type': 'text/html',
          'content-security-policy': "default-src 'self'",
          'set-cookie': ['a=1', 'b=2'],
        })
        .end('<p>pay</p>')
    }
    const response = await fetch(`${gateway.url}/checkout/${LINK}?lang=hi`, {
      headers: { cookie: 'c=3', 'x-merchant-id': 'mer_1', authorization: 'Bearer x' },
    })
    expect(await response.text()).toBe('<p>pay</p>')
    expect(response.headers.get('content-security-policy')).toBe("default-src 'self'")
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(service.last).toMatchObject({ method: 'GET', path: `/checkout/${LINK}?lang=hi` })
    expect(service.last.headers).toMatchObject({ cookie: 'c=3' })
    expect(service.last.headers['x-merchant-id']).toBeUndefined()
    expect(service.last.headers.authorization).toBeUndefined()
    await eventually(() => expect(lines.some((line) => line.includes('/checkout/{*path}'))).toBe(true))
    expect(lines.join('\n')).not.toContain('mmmmmm')
  })

  test('an event stream comes piece by piece, outlives the timeout, and ends with its reader', async () => {
    const streams: ServerResponse[] = []
    let closed = 0
    service.intercept = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      response.on('close', () => (closed += 1))
      streams.push(response)
    }
    const quick = await oneMore({
      upstreams: { authToken: real.auth.url },
      config: { upstreamTimeoutMs: 100 },
    })
    const controller = new AbortController()
    const response = await fetch(`${quick.url}/checkout/${LINK}/events`, { signal: controller.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body?.getReader()
    const [stream] = streams
    if (!reader || !stream) throw new Error('a stream was opened')
    // The timers of the client library tick once a second, so this is well beyond a timeout of 100 ms.
    let silent = true
    const quiet = setTimeout(() => (silent = false), 2500)
    await eventually(() => expect(silent).toBe(false))
    clearTimeout(quiet)
    for (const piece of ['data: 1\n\n', 'data: 2\n\n']) {
      stream.write(piece)
      const { value } = await reader.read()
      expect(Buffer.from(value ?? []).toString()).toBe(piece)
    }
    controller.abort()
    await eventually(() => expect(closed).toBe(1))
  })

  test('a body goes to the page while it comes in', async () => {
    let firstChunk: Buffer | undefined
    service.intercept = (request, response) => {
      request.once('data', (chunk: Buffer) => (firstChunk = chunk))
      request.on('end', () => response.writeHead(204).end())
    }
    const { hostname, port } = new URL(gateway.url)
    const upload = httpRequest({
      hostname,
      port,
      path: `/checkout/${LINK}/card`,
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
    })
    upload.write('first')
    await eventually(() => expect(firstChunk?.toString()).toBe('first'))
    const answered = once(upload, 'response')
    upload.end('second')
    const [response] = (await answered) as [{ statusCode: number; resume: () => void }]
    response.resume()
    expect(response.statusCode).toBe(204)
  })

  test('a large page comes through byte by byte', async () => {
    const page = randomBytes(3 * 1024 * 1024)
    service.answer = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(page)
    const body = Buffer.from(await (await fetch(`${gateway.url}/checkout/assets/app.js`)).arrayBuffer())
    expect(createHash('sha256').update(body).digest('hex')).toBe(createHash('sha256').update(page).digest('hex'))
  })
})
