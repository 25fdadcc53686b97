import { eventually } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

interface Recovered {
  readonly data: { readonly count: number; readonly skipped: number }
  readonly next_cursor: string | null
}

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture([100])
  dispatcher = await fixture.start()
})
afterAll(() => fixture.remove())

const PATH = '/api/v1/webhooks/deliveries/recover'
let merchants = 0
async function aMerchant() {
  const merchantId = `mer_recover_${(merchants += 1)}`
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, `${fixture.receiver.url}/old`)
  return { merchantId, api }
}

/** Deliveries that are dead since the endpoint answers so. */
async function dead(merchantId: string, status: number, count: number): Promise<string[]> {
  fixture.receiver.respondWith(() => ({ status }))
  const events = Array.from({ length: count }, () => anEvent(merchantId))
  for (const event of events) await fixture.publish(event)
  for (const { id } of events) await fixture.deliveryIs(id, 'dead')
  return events.map(({ id }) => id)
}

// Proves: api/deliveries-recover
test('every delivery that is dead since an instant is sent again, once; older ones and those of other merchants are not', async () => {
  const { merchantId, api } = await aMerchant()
  const other = await aMerchant()
  const [before] = await dead(merchantId, 404, 1)
  const since = new Date().toISOString()
  const missed = await dead(merchantId, 404, 3)
  const [othersOwn] = await dead(other.merchantId, 404, 1)
  fixture.receiver.respondWith(() => ({ status: 200 }))
  expect(await api<Recovered>('POST', PATH, { since, to: 'original' })).toMatchObject({
    status: 202,
    body: { data: { count: 3, skipped: 0 }, next_cursor: null },
  })
  for (const id of missed) expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([404, 404, 200])
  expect((await api<Recovered>('POST', PATH, { since, to: 'original' })).body.data).toEqual({ count: 0, skipped: 0 })
  for (const id of [before, othersOwn]) expect(await fixture.delivery(id ?? '')).toMatchObject({ status: 'dead' })
})

// Proves: api/deliveries-recover
test('webhooks of orders bound to a dead URL are sent to the current URL, all at once', async () => {
  const { merchantId, api } = await aMerchant()
  const since = new Date().toISOString()
  const [gone] = await dead(merchantId, 410, 1)
  const pinned = await dead(merchantId, 410, 2)
  // The URL that they are pinned to is disabled: there is nowhere to send them.
  await eventually(async () => {
    const refused = await api<Recovered>('POST', PATH, { since, to: 'current' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'endpoint_disabled' } })
  })
  for (const id of [...pinned, gone ?? '']) await fixture.deliveryIs(id, 'dead')
  expect(await api('POST', `/api/v1/webhooks/deliveries/${gone}/resend`, { to: 'original' })).toMatchObject({
    status: 409,
    body: { code: 'endpoint_disabled' },
  })
  await registerEndpoint(api, `${fixture.receiver.url}/new`)
  fixture.receiver.respondWith(({ path }) => ({ status: path === '/new' ? 200 : 500 }))
  expect((await api<Recovered>('POST', PATH, { since, to: 'original' })).body.data).toEqual({ count: 0, skipped: 3 })
  expect((await api<Recovered>('POST', PATH, { since, to: 'current' })).body.data).toEqual({ count: 3, skipped: 0 })
  for (const id of [...pinned, gone ?? '']) {
    expect(await fixture.deliveryIs(id, 'delivered')).toMatchObject({ url: `${fixture.receiver.url}/new` })
  }
})

// Proves: api/deliveries-recover
test('in several parts: the cursor leads to the rest, and a repeated part sends nothing twice', async () => {
  const { merchantId, api } = await aMerchant()
  const since = new Date(Date.now() - 60_000).toISOString()
  const records = fixture.sandbox.client
    .db(fixture.database)
    .collection<{ _id: string; status: string; merchant_id: string }>('deliveries')
  const [id] = await dead(merchantId, 404, 1)
  const template = await records.findOne({ _id: id ?? '' })
  const more = Array.from({ length: 250 }, (_, index) => ({
    ...template,
    _id: `${id}-${index}`,
    status: 'dead',
    merchant_id: merchantId,
  }))
  await records.insertMany(more)
  fixture.receiver.respondWith(() => ({ status: 200 }))
  // 200 a part, or what a busy machine does in ten seconds.
  const counts: number[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const part = await api<Recovered>('POST', PATH, { since, to: 'original', ...(cursor !== undefined && { cursor }) })
    expect(part.body).toMatchObject({ data: { skipped: 0 } })
    counts.push(part.body.data.count)
    cursor = part.body.next_cursor
  }
  expect(counts.length).toBeGreaterThanOrEqual(2)
  expect(Math.max(...counts)).toBeLessThanOrEqual(200)
  expect(counts.reduce((sum, count) => sum + count)).toBe(251)
  for (const { _id } of more) await fixture.deliveryIs(_id, 'delivered', 30_000)
  const posts = fixture.receiver.requests().filter(({ headers }) => String(headers['webhook-id']).startsWith(`${id}-`))
  expect(posts).toHaveLength(250)
})

test.each([
  [{ to: 'current' }, 422],
  [{ since: 'yesterday', to: 'current' }, 422],
  [{ since: '2026-01-01T00:00:00Z', to: 'elsewhere' }, 422],
  [{ since: '2026-01-01T00:00:00Z', to: 'current', cursor: 'x' }, 422],
])('%j is refused', async (body, status) => {
  const { api } = await aMerchant()
  expect(await api('POST', PATH, body)).toMatchObject({ status, body: { code: 'validation_failed' } })
})

test('without an endpoint there is no URL to send to', async () => {
  const api = await fixture.as(dispatcher, 'mer_without')
  const body = { since: '2026-01-01T00:00:00Z', to: 'current' }
  expect(await api('POST', PATH, body)).toMatchObject({ status: 409, body: { code: 'endpoint_missing' } })
})

// Proves: api/recover-is-paced-per-merchant
test('a merchant that floods the call is refused, and another merchant is served meanwhile', async () => {
  const [flooder, other] = [await aMerchant(), await aMerchant()]
  const since = new Date(Date.now() - 60_000).toISOString()
  const [deadOfFlooder] = await dead(flooder.merchantId, 404, 1)
  const [deadOfOther = ''] = await dead(other.merchantId, 404, 1)
  const records = fixture.sandbox.client.db(fixture.database).collection<{ _id: string }>('deliveries')
  const template = await records.findOne({ _id: deadOfFlooder ?? '' })
  // A part of 200 takes four seconds.
  await records.insertMany(Array.from({ length: 250 }, (_, index) => ({ ...template, _id: `${deadOfFlooder}-flood-${index}` })))
  fixture.receiver.respondWith(() => ({ status: 200 }))

  const ended: number[] = []
  const flood = Array.from({ length: 120 }, async () => {
    const { status } = await flooder.api<Recovered>('POST', PATH, { since, to: 'original' })
    ended.push(status)
    return status
  })
  await eventually(() => expect(ended).toHaveLength(119))
  expect(new Set(ended)).toEqual(new Set([429]))
  expect(await other.api<Recovered>('POST', PATH, { since, to: 'original' })).toMatchObject({
    status: 202,
    body: { data: { count: 1 } },
  })
  expect(ended).toHaveLength(119)
  await fixture.deliveryIs(deadOfOther, 'delivered')
  expect((await Promise.all(flood)).filter((status) => status === 202)).toHaveLength(1)
})
