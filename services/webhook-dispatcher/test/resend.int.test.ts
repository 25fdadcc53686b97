import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

interface DeliveryView {
  readonly id: string
  readonly order_id: string
  readonly status: string
}

interface Listed {
  readonly data: { readonly deliveries: readonly DeliveryView[] }
  readonly next_cursor: string | null
}

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start()
})
afterAll(() => fixture.remove())
beforeEach(() => {
  fixture.receiver.clear()
  fixture.receiver.respondWith(() => ({ status: 200 }))
})

let merchants = 0
async function aMerchant(path = '/hook') {
  const merchantId = `mer_resend_${(merchants += 1)}`
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, fixture.receiver.url + path)
  return { merchantId, api }
}
async function delivered(merchantId: string, fields = {}) {
  const event = anEvent(merchantId, fields)
  await fixture.publish(event)
  await fixture.deliveryIs(event.id, 'delivered')
  return event
}
const pathsOf = (id: string) =>
  fixture.receiver
    .requests()
    .filter(({ headers }) => headers['webhook-id'] === id)
    .map(({ path }) => path)
const resend = (id: string) => `/api/v1/webhooks/deliveries/${id}/resend`

// Proves: api/deliveries-resend, webhooks/same-bytes-on-every-attempt
test('a delivered webhook is sent again to the original or to the current URL, with the same id and bytes', async () => {
  const { merchantId, api } = await aMerchant('/old')
  const { id } = await delivered(merchantId)
  await api('PUT', '/api/v1/webhooks/endpoint', { url: `${fixture.receiver.url}/new` })

  expect(await api('POST', resend(id), { to: 'current' })).toMatchObject({ status: 202 })
  await fixture.receiver.waitFor(({ path }) => path === '/new')
  await fixture.deliveryIs(id, 'delivered')
  expect(await api('POST', resend(id), { to: 'original' })).toMatchObject({ status: 202 })
  await fixture.receiver.waitFor(({ headers }) => headers['webhook-attempt'] === '3')
  await fixture.deliveryIs(id, 'delivered')

  expect(pathsOf(id)).toEqual(['/old', '/new', '/old'])
  expect(new Set(fixture.receiver.requests().map(({ body }) => body.toString())).size).toBe(1)
  await fixture.queuesAreEmpty()
})

test('a resend that fails continues with the schedule', async () => {
  const { merchantId, api } = await aMerchant()
  const { id } = await delivered(merchantId)
  fixture.receiver.respondWith((_request, n) => ({ status: n <= 3 ? 500 : 200 }))
  expect(await api('POST', resend(id), { to: 'original' })).toMatchObject({ status: 202 })
  await fixture.receiver.waitFor(({ headers }) => headers['webhook-attempt'] === '4')
  expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([200, 500, 500, 200])
})

// Proves: api/deliveries-resend
test('a resend of a delivery that is being retried brings the next attempt forward, and the chain does not fork', async () => {
  const { merchantId, api } = await aMerchant()
  fixture.receiver.respondWith((_request, n) => ({ status: n === 1 ? 500 : 200, delayMs: n === 1 ? 0 : 100 }))
  const event = anEvent(merchantId)
  await fixture.publish(event)
  await fixture.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id)
  await Promise.all([1, 2, 3].map(() => api('POST', resend(event.id), { to: 'original' })))
  await fixture.deliveryIs(event.id, 'delivered')
  await fixture.queuesAreEmpty()
  const { attempts } = await fixture.deliveryIs(event.id, 'delivered')
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_attempt, index) => index + 1))
  expect(pathsOf(event.id)).toHaveLength(attempts.length)
})

test('a resend asked for while an attempt is running is made after it', async () => {
  const { merchantId, api } = await aMerchant('/old')
  const { id } = await delivered(merchantId)
  await api('PUT', '/api/v1/webhooks/endpoint', { url: `${fixture.receiver.url}/new` })
  const gate = Promise.withResolvers<undefined>()
  fixture.receiver.respondWith(async ({ headers }) => {
    if (headers['webhook-attempt'] === '2') await gate.promise
    return { status: 200 }
  })
  await api('POST', resend(id), { to: 'original' })
  await fixture.receiver.waitFor(({ headers }) => headers['webhook-attempt'] === '2')
  expect(await api('POST', resend(id), { to: 'current' })).toMatchObject({ status: 202 })
  gate.resolve(undefined)
  await fixture.receiver.waitFor(({ path }) => path === '/new')
  const { resends } = await fixture.deliveryIs(id, 'delivered')
  expect(pathsOf(id)).toEqual(['/old', '/old', '/new'])
  // Each with the address of the attempts before it, for the timeline.
  const old = { url: `${fixture.receiver.url}/old`, dead_reason: null }
  expect(resends).toMatchObject([
    { ...old, attempt_count: 1 },
    { ...old, attempt_count: 2 },
  ])
})

test('a resend to another URL, asked for while an attempt is running, does not wait for the breaker of the old one', async () => {
  const breaker = { ...fixture.config().breaker, minResults: 1, failureShare: 0.1, firstOpenMs: 600_000, maxOpenMs: 600_000 }
  await fixture.stop(dispatcher)
  dispatcher = await fixture.start({}, { breaker, sweepOverdueMs: 600_000 })
  const { merchantId, api } = await aMerchant('/failing')
  const { id } = await delivered(merchantId)
  await api('PUT', '/api/v1/webhooks/endpoint', { url: `${fixture.receiver.url}/working` })
  const gate = Promise.withResolvers<undefined>()
  fixture.receiver.respondWith(async ({ path }) => {
    if (path !== '/failing') return { status: 200 }
    await gate.promise
    return { status: 503 }
  })
  await api('POST', resend(id), { to: 'original' })
  await fixture.receiver.waitFor(({ headers }) => headers['webhook-attempt'] === '2')
  expect(await api('POST', resend(id), { to: 'current' })).toMatchObject({ status: 202 })
  gate.resolve(undefined)
  await fixture.receiver.waitFor(({ path }) => path === '/working')
  expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([200, 503, 200])
  await fixture.stop(dispatcher)
  dispatcher = await fixture.start()
})

// Proves: api/deliveries-list
test('deliveries are listed newest first, page by page, of the own merchant only', async () => {
  const { merchantId, api } = await aMerchant()
  const other = await aMerchant()
  const ids: string[] = []
  for (const order_id of ['ORD-a', 'ORD-b', 'ORD-a']) ids.unshift((await delivered(merchantId, { order_id })).id)

  const whole = await api<Listed>('GET', '/api/v1/webhooks/deliveries')
  expect(whole.body.data.deliveries.map(({ id }) => id)).toEqual(ids)
  expect(whole.body.next_cursor).toBeNull()
  expect(whole.body.data.deliveries[0]).toEqual({
    id: ids[0],
    channel: 'payment',
    order_id: 'ORD-a',
    transaction_id: ids[0]?.split('.')[0],
    sequence: 2,
    status: 'delivered',
    url: `${fixture.receiver.url}/hook`,
    next_attempt_at: null,
    attempts: [
      { at: expect.any(String), duration_ms: expect.any(Number), status_code: 200, error: null, response_excerpt: null },
    ],
  })

  const paged: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { body: Listed } = await api<Listed>('GET', `/api/v1/webhooks/deliveries?limit=1${cursor && `&cursor=${cursor}`}`)
    expect(page.body.data.deliveries).toHaveLength(1)
    paged.push(...page.body.data.deliveries.map(({ id }) => id))
    cursor = page.body.next_cursor
  }
  expect(paged).toEqual(ids)

  const ofOrder = await api<Listed>('GET', '/api/v1/webhooks/deliveries?order_id=ORD-b')
  expect(ofOrder.body.data.deliveries.map(({ order_id }) => order_id)).toEqual(['ORD-b'])
  expect((await other.api<Listed>('GET', '/api/v1/webhooks/deliveries')).body.data.deliveries).toEqual([])
})

// Proves: api/deliveries-list
test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'unknown=1', 'order_id=a&order_id=b', 'order_id[$gt]='])(
  'a list with %s is refused',
  async (query) => {
    const { api } = await aMerchant()
    expect(await api('GET', `/api/v1/webhooks/deliveries?${query}`)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed' },
    })
  },
)

// Proves: faults/operator-objects, faults/another-merchants-order
test("another merchant's delivery, an unknown one and a bad target are refused", async () => {
  const { merchantId } = await aMerchant()
  const { id } = await delivered(merchantId)
  const { api } = await aMerchant()
  for (const path of [resend(id), resend('nothing.1')]) {
    expect(await api('POST', path, { to: 'original' })).toMatchObject({ status: 404, body: { code: 'delivery_not_found' } })
  }
  expect(await api('POST', resend(id), { to: 'https://evil.example' })).toMatchObject({ status: 422 })
  expect(await api('POST', resend(id), { to: { $ne: '' } })).toMatchObject({ status: 422 })
})

// Proves: api/deliveries-resend
test('a delivery without an endpoint can be sent to the current one, and to no original', async () => {
  const { merchantId, api } = await aMerchant('/late')
  const event = anEvent(merchantId, { order_created_at: '2026-01-01T00:00:00.000Z' })
  await fixture.publish(event)
  await fixture.deliveryIs(event.id, 'dead')
  expect(await api('POST', resend(event.id), { to: 'original' })).toMatchObject({
    status: 409,
    body: { code: 'endpoint_missing' },
  })
  expect(await api('POST', resend(event.id), { to: 'current' })).toMatchObject({ status: 202 })
  const webhook = await fixture.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id)
  expect(webhook.headers['webhook-attempt']).toBe('1')
  await fixture.deliveryIs(event.id, 'delivered')
})
