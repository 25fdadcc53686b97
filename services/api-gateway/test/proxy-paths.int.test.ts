import { once } from 'node:events'
import { connect } from 'node:net'
import type { FakeService } from './fake-service.ts'
import {
  CHECKOUT_LINK,
  moreGateways,
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

test.each([
  ['GET', '/api/v1/orders/create', 'POST'],
  ['DELETE', '/api/v1/webhooks/endpoint', 'PUT, GET'],
  ['OPTIONS', '/api/v1/order/search', 'POST'],
  ['GET', '/network/v1/callbacks', 'POST'],
  ['PUT', `/checkout/${CHECKOUT_LINK}`, 'GET, HEAD, POST'],
])('%s %s is 405 and says which methods are allowed', async (method, path, allow) => {
  const response = await fetch(gateway.url + path, { method })
  expect(response.headers.get('allow')).toBe(allow)
  expect(await refusalOf(response)).toEqual({ status: 405, code: 'method_not_allowed' })
})

// Proves: api/operator-api-not-at-gateway, api/request-id-in-every-response
test.each([
  '/',
  '/api/v1/orders/create/',
  '/API/v1/orders/create',
  '/api/v1/order',
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

/** What comes back for a request target that no URL library touches. */
async function answerTo(target: string, authorization: string): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  const head = `POST ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: ${authorization}\r\n`
  socket.end(`${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`)
  const chunks: Buffer[] = []
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

// Proves: api/paths-have-one-spelling
test.each([
  ...[
    `/checkout/%30${CHECKOUT_LINK.slice(1)}`,
    `/checkout/${CHECKOUT_LINK.replace('-', '%2D')}`,
    `/checkout/${CHECKOUT_LINK}%2Fpay`,
  ],
  ...[
    `//checkout/${CHECKOUT_LINK}`,
    `/checkout//${CHECKOUT_LINK}`,
    `/checkout/./${CHECKOUT_LINK}`,
    `/x/../checkout/${CHECKOUT_LINK}`,
  ],
  ...[
    `/checkout/${CHECKOUT_LINK}/..`,
    `/checkout/${CHECKOUT_LINK};a=1`,
    `/checkout/${CHECKOUT_LINK}#a`,
    `/checkout\\${CHECKOUT_LINK}`,
  ],
  ...[`/%63heckout/${CHECKOUT_LINK}`, `/checkout%2F${CHECKOUT_LINK}`, `/checkout/%2530${CHECKOUT_LINK.slice(1)}`],
  ...[
    '/api/v1/orders/%63reate',
    '/api/v1//orders/create',
    '/api/v1/./orders/create',
    '/api/v1/orders/create;a',
    '/api%2Fv1/orders/create',
  ],
  ...[
    '/api/v1/webhooks/deliveries/%30.2/resend',
    '/api/v1/webhooks/deliveries/../deliveries/0.2/resend',
    '/network/v1/callback%73',
  ],
])('%s is another spelling of a path, and goes to no service', async (target) => {
  const answer = await answerTo(target, authorized['authorization'] ?? '')
  expect(answer).toMatch(/^HTTP\/1\.1 40[04] /u)
  expect(service.seen).toHaveLength(0)
})

test('an absolute URL is refused: the gateway is no open proxy', async () => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  socket.end(
    'POST http://elsewhere.example/network/v1/callbacks HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  expect(head.toString()).toMatch(/^HTTP\/1\.1 400 /u)
  expect(service.seen).toHaveLength(0)
})

test('the query and ids in a path are passed on', async () => {
  await fetch(`${gateway.url}/api/v1/webhooks/deliveries?order_id=ORD-1&limit=5`, { headers: authorized })
  expect(service.last).toMatchObject({ method: 'GET', path: '/api/v1/webhooks/deliveries?order_id=ORD-1&limit=5' })
  await fetch(`${gateway.url}/api/v1/webhooks/deliveries/01J0.2/resend`, {
    method: 'POST',
    headers: authorized,
    body: '{"to":"current"}',
  })
  expect(service.last).toMatchObject({ method: 'POST', path: '/api/v1/webhooks/deliveries/01J0.2/resend' })
})

test('the simulate route exists in the sandbox only', async () => {
  expect((await post(`${gateway.url}/api/v1/sandbox/simulate`, {}, authorized)).status).toBe(200)
  const production = await startGateway({
    upstreams: { networkSimulator: undefined, authToken: running.auth.url },
    config: { environment: 'production' },
  })
  expect((await post(`${production.url}/api/v1/sandbox/simulate`, {}, authorized)).status).toBe(404)
  expect((await fetch(production.url)).headers.get('strict-transport-security')).toMatch(/max-age=/u)
})

test('the ledger gets its routes with their queries; without a ledger they are 404', async () => {
  await fetch(`${gateway.url}/api/v1/orders?status=Failed&limit=5`, { headers: authorized })
  expect(service.last).toMatchObject({ method: 'GET', path: '/api/v1/orders?status=Failed&limit=5' })
  await fetch(`${gateway.url}/api/v1/orders/ORD-1/timeline`, { headers: authorized })
  expect(service.last).toMatchObject({ method: 'GET', path: '/api/v1/orders/ORD-1/timeline' })
  const without = await startGateway({ upstreams: { ledger: undefined, authToken: running.auth.url } })
  const refused = await fetch(`${without.url}/api/v1/orders`, { headers: authorized })
  expect(await refusalOf(refused)).toEqual({ status: 404, code: 'not_found' })
})

// Proves: ledger/report-streams-through-the-gateway
test('a report goes through the gateway piece by piece, at the pace of its reader; one that breaks off is no complete answer', async () => {
  const PIECE = 64 * 1024
  let [written, blocked] = [0, false]
  service.intercept = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' })
    const write = (): void => {
      while (written < 4000 * PIECE) {
        written += PIECE
        if (!response.write(Buffer.alloc(PIECE, 'a'))) {
          blocked = true
          response.once('drain', write)
          return
        }
      }
    }
    write()
    response.once('close', () => (blocked = true))
  }
  const controller = new AbortController()
  const url = `${gateway.url}/api/v1/reports/daily?date=2026-11-21`
  const response = await fetch(url, { headers: authorized, signal: controller.signal })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  await new Promise((resolve) => setTimeout(resolve, 500))
  // Sockets buffer some megabytes; the gateway keeps no more than a few pieces.
  expect(blocked).toBe(true)
  expect(written).toBeLessThan(64 * 1024 * 1024)
  controller.abort()

  service.intercept = (_request, answer) => {
    answer.writeHead(200, { 'content-type': 'text/csv' }).write('at,kind\r\n')
    setTimeout(() => answer.destroy(), 50)
  }
  const broken = await fetch(url, { headers: authorized })
  await expect(broken.text()).rejects.toThrow()
})

// Proves: api/openapi-at-openapi-json
test('the OpenAPI document is served', async () => {
  const response = await fetch(`${gateway.url}/openapi.json`)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/u)
  expect(await response.json()).toMatchObject({ openapi: '3.1.0', paths: { '/api/v1/orders/create': {} } })
})

test('metrics are served on a port of their own', async () => {
  expect(await (await fetch(`${gateway.metricsUrl}/metrics`)).text()).toContain('http_request_duration_seconds')
})
