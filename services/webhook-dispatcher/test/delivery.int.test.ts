import { Webhook } from 'standardwebhooks'
import type { ReceivedWebhook } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let dispatcher: RunningDispatcher
/** Short, because two tests wait for it. */
const TIMEOUT = { timeoutMs: 4000 }

beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start({}, TIMEOUT)
})
afterAll(() => fixture.remove())
afterEach(() => {
  fixture.receiver.respondWith(() => ({ status: 200 }))
})

let merchants = 0
/** A new merchant whose webhooks go to the receiver. */
async function aMerchant(path = '/hook') {
  merchants += 1
  const merchantId = `mer_${merchants}`
  const api = await fixture.as(dispatcher, merchantId)
  const secret = await registerEndpoint(api, fixture.receiver.url + path)
  return { merchantId, api, secret }
}
const webhooksOf = (id: string): ReceivedWebhook[] =>
  fixture.receiver.requests().filter(({ headers }) => headers['webhook-id'] === id)

// Proves: spec/status-change-is-json-post, spec/4-3-receiver-called-post-json, spec/6-1-2-status-update-post
// Proves: webhooks/webhook-attempt-webhook-sequence, webhooks/webhook-sequence-grows-one-per-transaction
// Proves: webhooks/signed-bytes-are-sent
test('one status change is one signed POST, one record, and nothing left in any queue', async () => {
  const { merchantId, secret } = await aMerchant('/hook?source=1')
  const event = { ...anEvent(merchantId), occurred_at: '2026-01-01T18:30:05.000Z' }
  await fixture.publish(event)
  const record = await fixture.deliveryIs(event.id, 'delivered')

  const webhooks = webhooksOf(event.id)
  expect(webhooks).toHaveLength(1)
  const [webhook] = webhooks
  expect(webhook).toMatchObject({ method: 'POST', path: '/hook?source=1' })
  expect(webhook?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-attempt': '1',
    'webhook-sequence': '2',
  })
  const verified = new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers as Record<string, string>)
  expect(verified).toEqual({
    txnid: event.data.transaction_id,
    merchantTxnId: event.data.order_id,
    amount: '499.00',
    rrn: '123456789012',
    status: 'Success',
    payee: { name: 'Asha Rao', vpa: 'asha@bank' },
    metadata: { udf1: 'one', udf2: '', udf3: '' },
    datetime: '2026-01-02 00:00:05',
  })
  expect(record).toMatchObject({ body: webhook?.body.toString(), attempt_count: 1, correlation_id: event.correlation_id })
  expect(codesOf(record.attempts)).toEqual([200])
  await fixture.queuesAreEmpty()
})

// Proves: spec/6-1-3-without-200-delivery, webhooks/same-bytes-on-every-attempt
test('a server that answers 500 twice gets the same bytes until it answers 200', async () => {
  const { merchantId, secret } = await aMerchant()
  let answers = 0
  fixture.receiver.respondWith(() => ({ status: (answers += 1) <= 2 ? 500 : 200, body: 'try\u0000 later' }))
  const event = anEvent(merchantId)
  await fixture.publish(event)
  const record = await fixture.deliveryIs(event.id, 'delivered')

  expect(codesOf(record.attempts)).toEqual([500, 500, 200])
  expect(record.attempts.map(({ number }) => number)).toEqual([1, 2, 3])
  expect(record.attempts[0]).toMatchObject({ response_excerpt: 'try  later' })
  const webhooks = webhooksOf(event.id)
  expect(webhooks.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3'])
  expect(new Set(webhooks.map(({ body }) => body.toString()))).toEqual(new Set([record.body]))
  for (const { body, headers } of webhooks) new Webhook(secret).verify(body, headers as Record<string, string>)
  await fixture.queuesAreEmpty()
})

// Proves: spec/6-1-3-without-200-delivery, webhooks/only-200-acknowledges
test.each([201, 202, 204, 299])('%i does not acknowledge', async (status) => {
  const { merchantId } = await aMerchant()
  fixture.receiver.respondWith((_request, n) => ({ status: n % 2 === 1 ? status : 200 }))
  fixture.receiver.clear()
  const event = anEvent(merchantId)
  await fixture.publish(event)
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([status, 200])
})

// Proves: spec/7-any-reply-other-than-200, webhooks/no-redirects
test('a redirect is not followed', async () => {
  const { merchantId } = await aMerchant('/from')
  fixture.receiver.clear()
  fixture.receiver.respondWith((_request, n) =>
    n === 1 ? { status: 307, headers: { location: `${fixture.receiver.url}/to` } } : { status: 200 },
  )
  const event = anEvent(merchantId)
  await fixture.publish(event)
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([307, 200])
  expect(webhooksOf(event.id).map(({ path }) => path)).toEqual(['/from', '/from'])
})

// Proves: spec/7-any-reply-other-than-200
test.each([
  ['never answers', { status: 200, delayMs: 60_000 }, 'timeout'],
  ['never ends its answer', { status: 200, neverEnd: true }, 'timeout'],
  ['breaks the connection', { status: 200, destroy: true }, 'connection_closed'],
] as const)('a server that %s is tried again', async (_what, reply, error) => {
  const { merchantId } = await aMerchant()
  fixture.receiver.clear()
  fixture.receiver.respondWith((_request, n) => (n === 1 ? reply : { status: 200 }))
  const event = anEvent(merchantId)
  await fixture.publish(event)
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([error, 200])
})

test('an answer that is too long is cut, and its status counts', async () => {
  const { merchantId } = await aMerchant()
  fixture.receiver.respondWith(() => ({ status: 200, body: Buffer.alloc(1024 * 1024, 'x') }))
  const event = anEvent(merchantId)
  await fixture.publish(event)
  const { attempts } = await fixture.deliveryIs(event.id, 'delivered')
  expect(attempts[0]?.response_excerpt).toBe('x'.repeat(1024))
})

// Proves: webhooks/common-path
test('connections are kept alive', async () => {
  const { merchantId } = await aMerchant()
  const first = anEvent(merchantId)
  await fixture.publish(first)
  await fixture.deliveryIs(first.id, 'delivered')
  const before = fixture.receiver.connections
  const second = anEvent(merchantId)
  await fixture.publish(second)
  await fixture.deliveryIs(second.id, 'delivered')
  expect(fixture.receiver.connections).toBe(before)
})

test('the same event twice is one record', async () => {
  const { merchantId } = await aMerchant()
  const event = anEvent(merchantId)
  await Promise.all([fixture.publish(event), fixture.publish(event)])
  await fixture.deliveryIs(event.id, 'delivered')
  await fixture.queuesAreEmpty()
  expect(codesOf((await fixture.delivery(event.id))?.attempts ?? [])).toEqual([200])
})

// Proves: api/no-endpoint-no-webhook
test('without an endpoint at the time of the order, the delivery is dead and nothing is sent', async () => {
  const { merchantId } = await aMerchant()
  const event = anEvent(merchantId, { order_created_at: '2026-01-01T00:00:00.000Z' })
  await fixture.publish(event)
  const record = await fixture.deliveryIs(event.id, 'dead')
  expect(record).toMatchObject({ dead_reason: 'no_endpoint', url: null, attempt_count: 0 })
  expect(codesOf(record.attempts)).toEqual(['no_endpoint'])
  expect(webhooksOf(event.id)).toEqual([])
})

// Proves: webhooks/attempts-over-the-limit-are-delayed
test('webhooks beyond the in-flight limit of an endpoint wait, and all arrive', async () => {
  const narrow = await fixture.start({}, { endpointConcurrency: 2, prefetch: 50 })
  await fixture.stop(dispatcher)
  const merchantId = 'mer_narrow'
  await registerEndpoint(await fixture.as(narrow, merchantId), `${fixture.receiver.url}/narrow`)
  let running = 0
  let most = 0
  fixture.receiver.respondWith(async () => {
    most = Math.max(most, (running += 1))
    await new Promise((resolve) => setTimeout(resolve, 30))
    running -= 1
    return { status: 200 }
  })
  const events = Array.from({ length: 12 }, () => anEvent(merchantId))
  await Promise.all(events.map((event) => fixture.publish(event)))
  for (const { id } of events) {
    expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([200])
    expect(webhooksOf(id).map(({ headers }) => headers['webhook-attempt'])).toEqual(['1'])
  }
  expect(most).toBe(2)
  await fixture.queuesAreEmpty()
  await fixture.stop(narrow)
  dispatcher = await fixture.start({}, TIMEOUT)
})

// Proves: webhooks/dead-queue-holds-poison-only, broker/poison-is-dead-lettered-at-once
test.each([
  ['no JSON', 'nonsense', /not_parseable/u],
  ['an unknown version', JSON.stringify({ ...anEvent('m'), version: 7 }), /version/u],
])('%s goes to the dead queue with the reason', async (_what, body, reason) => {
  const { declared, publisher } = fixture
  const { routingKey, exchange } = { routingKey: 'transaction.status-changed', exchange: declared.exchanges.events.name }
  await publisher.publish({ exchange, routingKey, messageId: 'p', type: 'x', correlationId: 'c', body, timestampMs: Date.now() })
  const message = await fixture.take(declared.queues.webhookDispatcherDead)
  expect(message.body.toString()).toBe(body)
  expect(message.headers['dead-reason']).toMatch(reason)
  await fixture.queuesAreEmpty()
})
