import { request, type ServerResponse } from 'node:http'
import { eventually } from '@gateway/testkit'
import { merchantToken, type TestAuthToken } from '@gateway-services/auth-token/testing'
import { FakeService } from './fake-service.ts'
import {
  bearer,
  moreGateways,
  post,
  refusalOf,
  startRealAuthToken,
  startTestGateway,
  type TestGateway,
  checkoutLink,
} from './running-gateway.ts'

let real: Awaited<ReturnType<typeof startRealAuthToken>>
let auth: TestAuthToken
let service: FakeService
let gateway: TestGateway
const clock = { ms: 0 }

beforeAll(async () => {
  real = await startRealAuthToken()
  auth = real.auth
  service = await FakeService.start()
})
beforeEach(async () => {
  service.reset()
  clock.ms = 0
  gateway = await startTestGateway(service.url, {
    upstreams: { authToken: auth.url },
    limits: { createPerSecond: 2, readPerSecond: 3, writePerSecond: 2, anonymousPerSecond: 2, checkoutPerSecond: 2 },
    config: { trustedProxies: ['loopback'] },
    monotonicMs: () => clock.ms,
  })
})
afterEach(() => gateway.stop())
const startGateway = moreGateways(() => service.url)
afterAll(async () => {
  await service.stop()
  await real.stop()
})

async function statuses(count: number, call: () => Promise<Response>): Promise<number[]> {
  const seen: number[] = []
  for (let index = 0; index < count; index++) {
    const response = await call()
    await response.text()
    seen.push(response.status)
  }
  return seen
}

const newMerchant = async () => bearer(await merchantToken(await auth.newMerchant()))
const create = (headers: Record<string, string>) => post(`${gateway.url}/api/v1/orders/create`, {}, headers)
const search = (headers: Record<string, string>) => post(`${gateway.url}/api/v1/order/search`, {}, headers)
const refund = (headers: Record<string, string>) => post(`${gateway.url}/api/v1/refunds`, {}, headers)
const from = (address: string) => ({ 'x-forwarded-for': address })

/** How many exchanges auth-token has answered. */
async function exchanges(): Promise<number> {
  const metrics = await (await fetch(`${auth.url}/metrics`)).text()
  const counts = metrics.matchAll(/^http_request_duration_seconds_count\{.*tokens\/exchange.*\} (\d+)$/gmu)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

// Proves: api/rate-limit-per-merchant
test('each merchant has a bucket for orders, one for other changes and one for the rest; all refill with time', async () => {
  const [one, other] = [await newMerchant(), await newMerchant()]
  expect(await statuses(3, () => create(one))).toEqual([200, 200, 429])
  expect(await statuses(4, () => search(one))).toEqual([200, 200, 200, 429])
  expect(await statuses(3, () => refund(one))).toEqual([200, 200, 429])
  expect(await statuses(2, () => create(other))).toEqual([200, 200])

  const refused = await create(one)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refusalOf(refused)).toEqual({ status: 429, code: 'rate_limited' })
  clock.ms += 500
  expect(await statuses(2, () => create(one))).toEqual([200, 429])
})

test('another token of the same merchant shares its bucket', async () => {
  const merchant = await auth.newMerchant()
  const call = async () => create(bearer(await merchantToken(merchant)))
  expect(await statuses(3, call)).toEqual([200, 200, 429])
})

// Proves: api/merchants-over-their-limit-cause-no-exchange
test('a merchant over its limit causes no exchange, though each call has a fresh token', async () => {
  const merchant = await auth.newMerchant()
  const before = await exchanges()
  const calls = Array.from({ length: 40 }, async () => (await create(bearer(await merchantToken(merchant)))).status)
  expect((await Promise.all(calls)).filter((status) => status === 200)).toHaveLength(2)
  expect((await exchanges()) - before).toBe(2)
})

// Proves: api/rate-limit-by-address
test('calls without a valid token are limited by address; calls of a known merchant from the same address are not', async () => {
  const merchant = await newMerchant()
  expect(await statuses(1, () => search({ ...merchant, ...from('203.0.113.7') }))).toEqual([200])
  const bad = () => search({ ...bearer('nonsense'), ...from('203.0.113.7') })
  expect(await statuses(4, bad)).toEqual([401, 401, 429, 429])
  expect(await statuses(1, () => search(from('203.0.113.7')))).toEqual([429])
  expect(await statuses(1, () => search(from('203.0.113.8')))).toEqual([401])
  expect(await statuses(1, () => search({ ...merchant, ...from('203.0.113.7') }))).toEqual([200])
})

test('token requests are limited by address', async () => {
  const ask = () => post(`${gateway.url}/api/v1/auth/token`, { key_id: 'a', key_secret: 'b' }, from('203.0.113.9'))
  expect(await statuses(3, ask)).toEqual([401, 401, 429])
})

// Proves: api/rate-limit-by-address
test('without a trusted proxy no client chooses its own address', async () => {
  const strict = await startGateway({
    upstreams: { authToken: auth.url },
    limits: { anonymousPerSecond: 2 },
    monotonicMs: () => 0,
  })
  let count = 0
  const call = () => post(`${strict.url}/api/v1/order/search`, {}, from(`203.0.113.${(count += 1)}`))
  expect(await statuses(3, call)).toEqual([401, 401, 429])
})

// Proves: api/rate-limit-per-checkout-link
test('each checkout link is limited by itself', async () => {
  const page = (name: string) => () => fetch(`${gateway.url}/checkout/${checkoutLink(name)}/events`)
  expect(await statuses(3, page('01JA'))).toEqual([200, 200, 429])
  expect(await statuses(1, page('01JB'))).toEqual([200])
})

// Proves: page/shoppers-read-no-problem-json
test('a shopper over a limit reads a page that tries again, in both languages; a program reads the problem', async () => {
  const path = `/checkout/${checkoutLink('01JC')}`
  const ask = (accept: string) => fetch(gateway.url + path, { headers: { accept } })
  expect(await statuses(3, () => ask('*/*'))).toEqual([200, 200, 429])
  const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8')
  expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  const shown = await page.text()
  const seconds = page.headers.get('retry-after')
  expect(shown).toContain(`content="${seconds}; url=${path}"`)
  expect(shown).toMatch(/do not pay again[\s\S]*दोबारा भुगतान न करें/u)
  for (const accept of ['*/*', 'text/event-stream', 'application/json'])
    expect((await ask(accept)).headers.get('content-type')).toContain('application/problem+json')
})

// Proves: api/forged-links-are-limited
test('forged checkout links are limited by address; a link that was opened from the same address is not', async () => {
  service.answer = ({ path }, response) => void response.writeHead(path.includes('/01JA') ? 200 : 404).end()
  const page = (link: string) => fetch(`${gateway.url}/checkout/${checkoutLink(link)}`, { headers: from('203.0.113.7') })
  expect(await statuses(1, () => page('01JA'))).toEqual([200])
  let count = 0
  const forged = await statuses(200, () => page(`01JB${(count += 1)}`))
  expect(forged.slice(0, 3)).toEqual([404, 404, 429])
  expect(forged.filter((status) => status === 429)).toHaveLength(198)
  expect(await statuses(1, () => page('01JA'))).toEqual([200])
  expect(service.seen).toHaveLength(4)
})

// Proves: api/unsigned-callbacks-are-limited
test('unsigned callbacks are limited by address, and have connections of their own', async () => {
  const hanging: ServerResponse[] = []
  service.answer = ({ path }, response) => {
    if (path === '/network/v1/callbacks' && hanging.length < 200) hanging.push(response)
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }
  let address = 0
  const patient = await startGateway({
    upstreams: { authToken: auth.url },
    limits: { anonymousPerSecond: 2 },
    // No call times out before the test has counted the others.
    config: { trustedProxies: ['loopback'], upstreamTimeoutMs: 120_000 },
    monotonicMs: () => 0,
  })
  const callback = () => post(`${patient.url}/network/v1/callbacks`, {}, from(`198.51.100.${(address += 1)}`))
  const waiting = Array.from({ length: 200 }, async () => (await callback()).status)
  await eventually(() => expect(hanging.length).toBe(128))
  const merchant = await newMerchant()
  expect(await statuses(1, () => post(`${patient.url}/api/v1/order/search`, {}, merchant))).toEqual([200])
  service.answer = (_request, response) => void response.writeHead(401).end()
  for (const response of hanging) response.writeHead(401).end()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([401]))
  const many = await statuses(200, () => post(`${patient.url}/network/v1/callbacks`, {}, from('203.0.113.9')))
  expect(many.filter((status) => status === 429)).toHaveLength(198)
})

// Proves: api/rate-limit-not-for-signed-callbacks
test('signed callbacks are never limited', async () => {
  const callback = () => post(`${gateway.url}/network/v1/callbacks`, {})
  expect(new Set(await statuses(30, callback))).toEqual(new Set([200]))
})

// Proves: api/public-routes-are-limited
test.each([
  ['GET', '/openapi.json', 200],
  ['GET', '/docs', 200],
  ['OPTIONS', '/docs/style.css', 200],
  ['HEAD', '/postman.json', 200],
  ['GET', '/nothing', 404],
  ['GET', '/metrics', 404],
  ['DELETE', '/api/v1/orders', 405],
  ['GET', '/api/v1/refunds/.x', 404],
  ['PUT', '/checkout/x', 405],
  ['GET', '/checkout/%2e%2e/x', 404],
])('%s %s is limited by address, and the health of the gateway for itself', async (method, path, status) => {
  const { hostname, port } = new URL(gateway.url)
  const call = (target: string, address: string, by = method) =>
    new Promise<number>((resolve, reject) => {
      // `fetch` would resolve the dots of a path.
      const sent = request({ hostname, port, method: by, path: target, headers: from(address) }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
      })
      sent.once('error', reject).end()
    })
  const calls = async (target: string, address: string, by?: string) => {
    const seen: number[] = []
    for (let count = 0; count < 3; count++) seen.push(await call(target, address, by))
    return seen
  }
  expect(await calls(path, '203.0.113.7')).toEqual([status, status, 429])
  expect(await call(path, '203.0.113.8')).toBe(status)
  expect(await calls('/healthz', '203.0.113.7', 'GET')).toEqual([200, 200, 429])
})
