import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type ServerResponse } from 'node:http'
import type { Log } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit'
import type { FakeService } from './fake-service.ts'
import { CHECKOUT_LINK, moreGateways, startGatewayWithToken, type GatewayWithToken, type TestGateway } from './running-gateway.ts'

const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }
let running: GatewayWithToken
let gateway: TestGateway
let service: FakeService

beforeAll(async () => {
  running = await startGatewayWithToken({ log })
  ;({ gateway, service } = running)
})
beforeEach(() => service.reset())
afterAll(() => running.stop())
const startGateway = moreGateways(() => service.url)

// Proves: faults/logs-hold-no-personal-data
test('a page is passed on with its own headers and cookies, and its path is not logged', async () => {
  service.answer = (_request, response) => {
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': "default-src 'self'",
        'set-cookie': ['a=1', 'b=2'],
      })
      .end('<p>pay</p>')
  }
  const response = await fetch(`${gateway.url}/checkout/${CHECKOUT_LINK}?lang=hi`, {
    headers: { cookie: 'c=3', 'x-merchant-id': 'mer_1', authorization: 'Bearer x' },
  })
  expect(await response.text()).toBe('<p>pay</p>')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'self'")
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(service.last).toMatchObject({ method: 'GET', path: `/checkout/${CHECKOUT_LINK}?lang=hi` })
  expect(service.last.headers).toMatchObject({ cookie: 'c=3' })
  expect(service.last.headers['x-merchant-id']).toBeUndefined()
  expect(service.last.headers.authorization).toBeUndefined()
  await eventually(() => expect(lines.some((line) => line.includes('/checkout/{*path}'))).toBe(true))
  expect(lines.join('\n')).not.toContain('mmmmmm')
})

test('an event stream arrives piece by piece, outlives the timeout, and ends when its reader disconnects', async () => {
  const streams: ServerResponse[] = []
  let closed = 0
  service.intercept = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    response.on('close', () => (closed += 1))
    streams.push(response)
  }
  const quick = await startGateway({
    upstreams: { authToken: running.auth.url },
    config: { upstreamTimeoutMs: 100 },
  })
  const controller = new AbortController()
  const response = await fetch(`${quick.url}/checkout/${CHECKOUT_LINK}/events`, { signal: controller.signal })
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

// Proves: api/slow-clients-are-bounded
test('a form is forwarded once it is complete: until then it holds no connection to checkout', async () => {
  const { hostname, port } = new URL(gateway.url)
  const path = `/checkout/${CHECKOUT_LINK}/card`
  const upload = httpRequest({ hostname, port, path, method: 'POST', headers: { 'content-type': 'text/plain' } })
  upload.write('first')
  // The gateway has read the beginning of the form when it has answered a later request.
  expect((await fetch(`${gateway.url}/checkout/${CHECKOUT_LINK}`)).status).toBe(200)
  expect(service.seen.map(({ method }) => method)).toEqual(['GET'])
  const answered = once(upload, 'response')
  upload.end('second')
  const [response] = (await answered) as [{ statusCode: number; resume: () => void }]
  response.resume()
  expect(response.statusCode).toBe(200)
  expect(service.last.body.toString()).toBe('firstsecond')
})

test('a large page arrives unchanged', async () => {
  const page = randomBytes(3 * 1024 * 1024)
  service.answer = (_request, response) => void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(page)
  const body = Buffer.from(await (await fetch(`${gateway.url}/checkout/assets/app.js`)).arrayBuffer())
  expect(createHash('sha256').update(body).digest('hex')).toBe(createHash('sha256').update(page).digest('hex'))
})
