/** Merchants listen to copies of their webhooks: the copies, their order and signatures, and which copies a session gets. */
import { eventually } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, aRefund, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { listen, verifyCopy, type Listener } from './listening.ts'

let fixture: Fixture
let dispatcher: RunningDispatcher
let other: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start()
  other = await fixture.start()
})
afterAll(() => fixture.remove())
const open: Listener[] = []
afterEach(() => {
  for (const listener of open.splice(0)) listener.close()
})

let merchants = 0
const newMerchant = () => `mer_listen_${(merchants += 1)}`
async function listenAs(merchantId: string, options: { query?: string; lastEventId?: string } = {}, at = dispatcher) {
  const listener = await listen(fixture, at, { merchantId, ...options })
  open.push(listener)
  return listener
}
const copiesOf = (merchantId: string) =>
  fixture.sandbox.client.db(fixture.database).collection('copies').countDocuments({ merchant_id: merchantId })

async function publish(merchantId: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => anEvent(merchantId))
  await Promise.all(events.map((event) => fixture.publish(event)))
  return events.map(({ id }) => id)
}

// Proves: listen/copy-has-the-bytes-of-the-delivery, listen/copies-leave-deliveries-alone
test('a copy has the id and the bytes of the delivery, a signature of its own secret, and changes no delivery', async () => {
  const [merchantId, stranger] = [newMerchant(), newMerchant()]
  const endpointSecret = await registerEndpoint(await fixture.as(dispatcher, merchantId), fixture.receiver.url)
  const [listener, elsewhere] = [await listenAs(merchantId), await listenAs(stranger)]
  const event = anEvent(merchantId, { udf1: 'हिन्दी' })
  await fixture.publish(event)
  const real = await fixture.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id)
  await listener.has(1)
  const [copy] = listener.copies()
  if (!copy) throw new Error('there is a copy')

  expect(Buffer.from(copy.body)).toEqual(real.body)
  const { 'webhook-timestamp': _at, 'webhook-signature': _signature, ...same } = copy.headers
  expect(same).toEqual({
    'content-type': 'application/json',
    'user-agent': 'payment-gateway-webhooks/1',
    accept: '*/*',
    'webhook-id': event.id,
    'webhook-attempt': '1',
    'webhook-sequence': '2',
    'webhook-copy': 'listen',
  })
  expect(real.headers).not.toHaveProperty('webhook-copy')
  expect(() => verifyCopy(listener.secret(), copy)).not.toThrow()
  expect(() => verifyCopy(endpointSecret, copy)).toThrow()

  const { attempts } = await fixture.deliveryIs(event.id, 'delivered')
  expect(attempts).toHaveLength(1)
  expect(elsewhere.ids()).toEqual([])
  await fixture.queuesAreEmpty()
})

// Proves: listen/resumes-without-repeating
test('sessions that continue one another get every copy of two replicas once, in one order', async () => {
  const merchantId = newMerchant()
  const published: Promise<string[]>[] = []
  let listener = await listenAs(merchantId)
  const received: (string | undefined)[] = []
  for (let round = 0; round < 6; round++) {
    published.push(publish(merchantId, 40))
    await eventually(() => expect(listener.ids().length).toBeGreaterThan(0), { deadlineMs: 20_000 })
    listener.close()
    await listener.ended
    received.push(...listener.ids())
    listener = await listenAs(merchantId, { lastEventId: listener.lastId() }, round % 2 === 0 ? other : dispatcher)
  }
  const expected = (await Promise.all(published)).flat()
  await eventually(() => expect(received.length + listener.ids().length).toBe(expected.length), { deadlineMs: 30_000 })
  received.push(...listener.ids())
  expect([...received].sort()).toEqual([...expected].sort())

  const again = await listenAs(merchantId, { query: '?since=2026-01-01T00:00:00Z' })
  await again.has(expected.length)
  expect(again.ids()).toEqual(received)
})

test('a session that had no copy yet continues where it began', async () => {
  const merchantId = newMerchant()
  const first = await listenAs(merchantId)
  first.close()
  const [id] = await publish(merchantId, 1)
  await fixture.deliveryIs(id ?? '', 'dead')
  const next = await listenAs(merchantId, { lastEventId: first.lastId(), query: '?since=2026-01-01T00:00:00Z' })
  await next.has(1)
  expect(next.ids()).toEqual([id])
})

// Proves: listen/since
test('without a beginning only new copies come; since brings earlier ones', async () => {
  const merchantId = newMerchant()
  const before = await listenAs(merchantId)
  const early = await publish(merchantId, 3)
  await before.has(3)
  const between = new Date().toISOString()
  const late = await publish(merchantId, 2)
  await before.has(5)

  const [fresh, sinceBetween] = [await listenAs(merchantId), await listenAs(merchantId, { query: `?since=${between}` }, other)]
  await sinceBetween.has(2)
  expect([...sinceBetween.ids()].sort()).toEqual([...late].sort())
  const [newest] = await publish(merchantId, 1)
  await fresh.has(1)
  expect(fresh.ids()).toEqual([newest])
  expect([...before.ids()].slice(0, 3).sort()).toEqual([...early].sort())
})

// Proves: listen/only-while-somebody-listens
test('nothing is copied until somebody listens; since brings what was sent before', async () => {
  const merchantId = newMerchant()
  const ids = await publish(merchantId, 3)
  for (const id of ids) await fixture.deliveryIs(id, 'dead')
  expect(await copiesOf(merchantId)).toBe(0)
  const listener = await listenAs(merchantId, { query: '?since=2026-01-01T00:00:00Z' })
  await listener.has(3)
  expect([...listener.ids()].sort()).toEqual([...ids].sort())
  expect(await copiesOf(merchantId)).toBe(3)
})

test('refunds have no copies', async () => {
  const merchantId = newMerchant()
  const api = await fixture.as(dispatcher, merchantId)
  await api('PUT', '/api/v1/webhooks/refund-endpoint', { url: fixture.receiver.url })
  const listener = await listenAs(merchantId)
  const refund = aRefund(merchantId)
  await fixture.publish(refund)
  await fixture.deliveryIs(refund.id, 'delivered')
  const [id] = await publish(merchantId, 1)
  await listener.has(1)
  expect(listener.ids()).toEqual([id])
})

// Proves: listen/redelivered-event-is-one-copy
test('an event that comes twice is one copy', async () => {
  const merchantId = newMerchant()
  const listener = await listenAs(merchantId)
  const event = anEvent(merchantId)
  await fixture.publish(event)
  await listener.has(1)
  await fixture.publish(event)
  const [next] = await publish(merchantId, 1)
  await eventually(() => expect(listener.ids()).toContain(next), { deadlineMs: 20_000 })
  expect(listener.ids()).toEqual([event.id, next])
})

// Proves: listen/secret-is-sealed-and-kept
test('the listen secret stays the same, and is stored sealed', async () => {
  const merchantId = newMerchant()
  const [one, two] = await Promise.all([listenAs(merchantId), listenAs(merchantId, {}, other)])
  expect(one.secret()).toMatch(/^whsec_/u)
  expect(two.secret()).toBe(one.secret())
  const stored = await fixture.sandbox.client
    .db(fixture.database)
    .collection<{ _id: string }>('endpoints')
    .findOne({ _id: `${merchantId}:listen` })
  expect(JSON.stringify(stored)).toContain('v1.k1.')
  expect(JSON.stringify(stored)).not.toContain(one.secret().slice('whsec_'.length))
})

// Proves: listen/secret-changes-with-rotation
test('a rotation changes the listen secret, and ends the sessions with the old one; so does an operator who ends secrets', async () => {
  const merchantId = newMerchant()
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, fixture.receiver.url)
  const first = await listenAs(merchantId)
  expect((await api('POST', '/api/v1/webhooks/endpoint/rotate-secret')).status).toBe(200)
  await first.ended
  expect(first.endReason()).toBe('session_over')
  const second = await listenAs(merchantId, { lastEventId: first.lastId() })
  expect(second.secret()).not.toBe(first.secret())
  await fixture.operator(dispatcher)('POST', `/operator/v1/endpoints/${merchantId}/expire-secrets`)
  expect((await listenAs(merchantId)).secret()).not.toBe(second.secret())
})
