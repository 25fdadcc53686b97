import { readFileSync } from 'node:fs'
import { Gateway, GatewayError, VERSION, WaitTimeout, type Order } from '@gateway/sdk'
import { pollDelayMs } from '../src/resources/orders.ts'
import { fakeGateway, json, networkError, problem } from './fake.ts'

const answer = (status: string, sequence: number) =>
  json(200, { data: { order: { order_id: 'ORD-1' }, transaction: { id: 'T1', status, sequence } }, checkout: null })
const [initiate, pending, success] = [answer('Initiate', 1), answer('Pending', 2), answer('Success', 3)]

test('the version is that of package.json', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(manifest).toMatchObject({ version: VERSION })
})

test('create tells a new order from one that existed', async () => {
  const body = { data: { order: { order_id: 'ORD-1' }, transaction: { id: 'T1' } }, checkout: { url: 'u', intent: 'i' } }
  const { gateway } = fakeGateway([json(201, body), json(200, body)])
  const order = { order_id: 'ORD-1', amount: '1.00', customer: { name: 'A', email: 'a@b.example', phone: '9876543210' } }
  const flat = { order: { order_id: 'ORD-1' }, transaction: { id: 'T1' }, checkout: { url: 'u', intent: 'i' } }
  expect(await gateway.orders.create(order)).toEqual({ ...flat, created: true })
  expect(await gateway.orders.create(order)).toEqual({ ...flat, created: false })
})

test('find gives the order, or undefined when there is none; another 404 is an error', async () => {
  const { gateway } = fakeGateway([success, problem(404, 'order_not_found'), problem(404, 'not_found')])
  expect((await gateway.orders.find('ORD-1'))?.transaction.status).toBe('Success')
  expect(await gateway.orders.find('ORD-2')).toBeUndefined()
  await expect(gateway.orders.find('ORD-3')).rejects.toMatchObject({ code: 'not_found' })
})

// Proves: sdk/wait-for-final
test('waitForFinal polls with growing pauses, tells each change once, and goes on while the gateway is away', async () => {
  const { gateway, clock } = fakeGateway([initiate, initiate, networkError('ECONNREFUSED'), pending, pending, success], {
    maxRetries: 0,
  })
  const seen: Order[] = []
  const order = await gateway.orders.waitForFinal('ORD-1', { timeoutMs: 60_000, onChange: (one) => seen.push(one) })
  expect(order.transaction.status).toBe('Success')
  expect(seen.map(({ transaction }) => transaction.sequence)).toEqual([1, 2, 3])
  expect(clock.slept).toEqual([1000, 1500, 2250, 3375, 5000])
})

test('waitForFinal ends with the last order as it was seen', async () => {
  const { gateway, clock } = fakeGateway([initiate, pending])
  const startedMs = clock.now()
  const failed = await gateway.orders.waitForFinal('ORD-1', { timeoutMs: 9000 }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(WaitTimeout)
  expect(failed).toMatchObject({ last: { transaction: { status: 'Pending' } } })
  expect(clock.now() - startedMs).toBe(9000)
})

test('waitForFinal of an unknown order is refused at once', async () => {
  const { gateway, sent } = fakeGateway([problem(404, 'order_not_found')])
  await expect(gateway.orders.waitForFinal('ORD-1', { timeoutMs: 60_000 })).rejects.toMatchObject({ code: 'order_not_found' })
  expect(sent).toHaveLength(1)
})

test('pauses between polls are from one to five seconds', () => {
  for (let poll = 0; poll < 2000; poll += 7)
    for (const random of [0, 0.5, 0.999]) {
      expect(pollDelayMs(poll, random)).toBeGreaterThanOrEqual(1000)
      expect(pollDelayMs(poll, random)).toBeLessThanOrEqual(5000)
    }
})

const page = (ids: string[], next_cursor: string | null) =>
  json(200, { data: { deliveries: ids.map((id) => ({ id })) }, next_cursor })

test('deliveries.list iterates over all pages, and gives single ones', async () => {
  const { gateway, sent } = fakeGateway([page(['D1', 'D2'], 'next page'), page(['D3'], null)])
  const ids: string[] = []
  for await (const { id } of gateway.deliveries.list({ order_id: 'ORD-1', limit: 2 })) ids.push(id)
  expect(ids).toEqual(['D1', 'D2', 'D3'])
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    '?order_id=ORD-1&limit=2',
    '?order_id=ORD-1&limit=2&cursor=next+page',
  ])

  const first = fakeGateway([page(['D1'], 'c')])
  expect(await first.gateway.deliveries.list().page()).toMatchObject({ items: [{ id: 'D1' }], next_cursor: 'c' })
  expect(new URL(first.sent[0]?.url ?? '').search).toBe('')
})

test('orders.list and timeline ask the ledger', async () => {
  const orders = json(200, { data: { orders: [{ order_id: 'ORD-1' }] }, next_cursor: null, as_of: '2026-01-31T00:00:00Z' })
  const timeline = json(200, { data: { events: [{ kind: 'order.created' }] }, incomplete: ['webhooks'] })
  const { gateway, sent } = fakeGateway([orders, timeline])
  expect(await gateway.orders.list({ status: 'Success', limit: 5 }).page()).toEqual({
    items: [{ order_id: 'ORD-1' }],
    next_cursor: null,
  })
  expect(await gateway.timeline('ORD/1')).toEqual({ events: [{ kind: 'order.created' }], incomplete: ['webhooks'] })
  expect(sent.map(({ url }) => new URL(url)).map(({ pathname, search }) => pathname + search)).toEqual([
    '/api/v1/orders?status=Success&limit=5',
    '/api/v1/orders/ORD%2F1/timeline',
  ])
})

test('refunds.list asks the ledger, page by page', async () => {
  const page = (id: string, next_cursor: string | null) => json(200, { data: { refunds: [{ id }] }, next_cursor, as_of: '' })
  const { gateway, sent } = fakeGateway([page('T1R02', 'c'), page('T1R01', null)])
  const ids: string[] = []
  for await (const { id } of gateway.refunds.list({ order_id: 'ORD-1', limit: 1 })) ids.push(id)
  expect(ids).toEqual(['T1R02', 'T1R01'])
  expect(sent.map(({ url }) => new URL(url)).map(({ pathname, search }) => pathname + search)).toEqual([
    '/api/v1/refunds?order_id=ORD-1&limit=1',
    '/api/v1/refunds?order_id=ORD-1&limit=1&cursor=c',
  ])
})

test('reports.daily gives the bytes while they arrive; a refusal is an error, and an unclear failure is tried again', async () => {
  let more: ((text: string | undefined) => void) | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('at,kind\r\n'))
      more = (text) => (text === undefined ? controller.close() : controller.enqueue(new TextEncoder().encode(text)))
    },
  })
  const { gateway, sent } = fakeGateway([problem(503, 'database_unavailable'), new Response(body)])
  const reader = (await gateway.reports.daily('2026-11-21', { format: 'csv' })).getReader()
  const next = async (): Promise<string | undefined> => {
    const { value } = await reader.read()
    return value && new TextDecoder().decode(value)
  }
  expect(await next()).toBe('at,kind\r\n')
  more?.('#end')
  expect(await next()).toBe('#end')
  more?.(undefined)
  expect(await next()).toBeUndefined()
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?date=2026-11-21&format=csv', '?date=2026-11-21&format=csv'])
  const refused = fakeGateway([problem(422, 'validation_failed')]).gateway
  await expect(refused.reports.daily('2026-02-30')).rejects.toMatchObject({ code: 'validation_failed', status: 422 })
  const away = fakeGateway([networkError('ECONNREFUSED')], { maxRetries: 0 }).gateway
  await expect(away.reports.daily('2026-11-21')).rejects.toThrow('ECONNREFUSED')
})

test('settlements.list and settlements.lines ask the ledger, page by page', async () => {
  const page = (data: object, next_cursor: string | null = null) => json(200, { data, next_cursor })
  const lines = [page({ lines: [{ reference: 'R1' }] }, 'c'), page({ lines: [{ reference: 'R2' }] })]
  const { gateway, sent } = fakeGateway([page({ settlements: [{ id: 'SET-1' }] }), ...lines])
  for await (const { id } of gateway.settlements.list({ from: '2026-11-01' })) expect(id).toBe('SET-1')
  const references: string[] = []
  for await (const { reference } of gateway.settlements.lines('SET-1', { limit: 1 })) references.push(reference)
  expect(references).toEqual(['R1', 'R2'])
  expect(sent.map(({ url }) => new URL(url)).map(({ pathname, search }) => pathname + search)).toEqual([
    '/api/v1/settlements?from=2026-11-01',
    '/api/v1/settlements/SET-1/lines?limit=1',
    '/api/v1/settlements/SET-1/lines?limit=1&cursor=c',
  ])
})

test('downtimes.list returns the list', async () => {
  const downtimes = [{ method: 'upi', instrument: null, severity: 'high', began_at: '2026-01-31T00:00:00Z', ended_at: null }]
  const { gateway, sent } = fakeGateway([json(200, { data: { downtimes } }), problem(503, 'network_unavailable')], {
    maxRetries: 0,
  })
  expect(await gateway.downtimes.list()).toEqual(downtimes)
  expect(new URL(sent[0]?.url ?? '').pathname).toBe('/api/v1/downtimes')
  await expect(gateway.downtimes.list()).rejects.toMatchObject({ code: 'network_unavailable', status: 503 })
})

test('refunds.create sends the refund; refunds.find gives undefined for none', async () => {
  const refund = { id: 'T1R01', refund_id: 'RF-1', status: 'pending' }
  const { gateway, sent } = fakeGateway([json(201, { data: { refund } }), problem(404, 'refund_not_found')])
  const asked = { order_id: 'ORD-1', refund_id: 'RF-1', amount: '2.00' }
  expect(await gateway.refunds.create(asked)).toEqual(refund)
  expect(JSON.parse(sent[0]?.body ?? '')).toEqual(asked)
  expect(await gateway.refunds.find('T1R02')).toBeUndefined()
  expect(new URL(sent[1]?.url ?? '').pathname).toBe('/api/v1/refunds/T1R02')
  await gateway.refunds.find('RF-1', { order_id: 'ORD-1' })
  expect(sent[2]?.url).toMatch(/\/api\/v1\/refunds\/RF-1\?order_id=ORD-1$/u)
})

test('deliveries.recover goes through every part', async () => {
  const part = (count: number, next_cursor: string | null) => json(202, { data: { count, skipped: 1 }, next_cursor })
  const { gateway, sent } = fakeGateway([part(200, 'c1'), part(7, null)])
  const since = new Date('2026-01-31T00:00:00Z')
  expect(await gateway.deliveries.recover({ since, to: 'current' })).toEqual({ count: 207, skipped: 2 })
  expect(sent.map(({ body }) => JSON.parse(body ?? '') as unknown)).toEqual([
    { since: since.toISOString(), to: 'current' },
    { since: since.toISOString(), to: 'current', cursor: 'c1' },
  ])
})

test('each other call is one request', async () => {
  const data = { url: 'https://m.example', since: 's', disabled: null }
  const { gateway, sent } = fakeGateway([json(200, { data })])
  expect(await gateway.endpoint.register('https://m.example')).toEqual(data)
  expect(await gateway.endpoint.get()).toEqual(data)
  await gateway.endpoint.enable()
  await gateway.endpoint.rotateSecret()
  await gateway.endpoint.test()
  expect(await gateway.refundEndpoint.register('https://m.example/refunds')).toEqual(data)
  expect(await gateway.refundEndpoint.get()).toEqual(data)
  await gateway.refundEndpoint.enable()
  await gateway.refundEndpoint.rotateSecret()
  await gateway.deliveries.resend('a/b?c', { to: 'current' })
  await gateway.sandbox.simulate({ order_id: 'ORD-1', outcome: 'success' })
  expect(sent.map(({ method, url, body }) => [method, url.replace('https://gateway.example', ''), body])).toEqual([
    ['PUT', '/api/v1/webhooks/endpoint', '{"url":"https://m.example"}'],
    ['GET', '/api/v1/webhooks/endpoint', undefined],
    ['POST', '/api/v1/webhooks/endpoint/enable', undefined],
    ['POST', '/api/v1/webhooks/endpoint/rotate-secret', undefined],
    ['POST', '/api/v1/webhooks/test', undefined],
    ['PUT', '/api/v1/webhooks/refund-endpoint', '{"url":"https://m.example/refunds"}'],
    ['GET', '/api/v1/webhooks/refund-endpoint', undefined],
    ['POST', '/api/v1/webhooks/refund-endpoint/enable', undefined],
    ['POST', '/api/v1/webhooks/refund-endpoint/rotate-secret', undefined],
    ['POST', '/api/v1/webhooks/deliveries/a%2Fb%3Fc/resend', '{"to":"current"}'],
    ['POST', '/api/v1/sandbox/simulate', '{"order_id":"ORD-1","outcome":"success"}'],
  ])
})

test.each([
  [{ baseUrl: 'gateway.example' }, /baseUrl/u],
  [{ baseUrl: 'https://user:pass@gateway.example' }, /origin and a path/u],
  [{ baseUrl: 'https://:pass@gateway.example' }, /origin and a path/u],
  [{ baseUrl: 'ftp://user:pass@gateway.example' }, /^(?!.*pass).*https address/u],
  [{ timeoutMs: 0 }, /timeoutMs/u],
  [{ maxRetries: -1 }, /maxRetries/u],
  [{ deadlineMs: Number.NaN }, /deadlineMs/u],
  [{ appInfo: { name: 'two words' } }, /appInfo/u],
])('%j is refused', (options, message) => {
  expect(() => new Gateway({ baseUrl: 'https://gateway.example', ...options })).toThrow(GatewayError)
  expect(() => new Gateway({ baseUrl: 'https://gateway.example', ...options })).toThrow(message)
})

const key_secret = Buffer.alloc(32, 1).toString('base64url')

// Proves: sdk/tokens-are-not-sent-in-clear
test.each([
  'http://gateway.example',
  'HTTP://10.0.0.5:8080',
  'http://localhost.example',
  'http://127.0.0.1.example',
  'http://[::2]',
])('%s is refused before anything is sent, with a live key always', (baseUrl) => {
  const [live, sandbox] = [
    { key_id: 'key_live_1', key_secret },
    { key_id: 'key_sandbox_1', key_secret },
  ]
  for (const options of [{}, { credentials: live }, { credentials: sandbox }, { credentials: live, allowHttp: true }])
    expect(() => new Gateway({ baseUrl, ...options })).toThrow(/must begin with https/u)
  expect(() => new Gateway({ baseUrl, credentials: sandbox, allowHttp: true })).not.toThrow()
})

test.each([
  'http://localhost:3000',
  'http://127.0.0.1:3000',
  'http://127.8.9.1',
  'http://[::1]:3000/path/',
  'https://gateway.example',
])('%s is allowed', (baseUrl) => expect(() => new Gateway({ baseUrl })).not.toThrow())

// Proves: sdk/failed-connections-are-explained
test.each([
  ['ECONNREFUSED', 'nothing listens there (ECONNREFUSED)'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'its certificate is self-signed; NODE_EXTRA_CA_CERTS can name it (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  ['ERR_SSL_SOMETHING_NEW', 'the TLS handshake failed (ERR_SSL_SOMETHING_NEW)'],
  ['ENEW', 'the connection failed (ENEW)'],
])('a connection that fails with %s: the error has the address and a sentence', async (code, sentence) => {
  const { gateway } = fakeGateway([networkError(code)], { maxRetries: 0 })
  const message = `The gateway at https://gateway.example could not be reached: ${sentence}`
  await expect(gateway.orders.find('ORD-1')).rejects.toMatchObject({ message })
})
