import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

interface Dead {
  readonly data: { readonly deliveries: readonly { readonly id: string; readonly dead_reason: string }[] }
  readonly next_cursor: string | null
}

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start()
}, 60_000)
afterAll(() => fixture.remove(), 60_000)

let merchants = 0
/** A merchant with so many deliveries that ran out of attempts. */
async function aMerchantWithDead(count: number) {
  const merchantId = `mer_operator_${(merchants += 1)}`
  await registerEndpoint(await fixture.as(dispatcher, merchantId), fixture.receiver.url)
  fixture.receiver.respondWith(() => ({ status: 503, body: 'closed' }))
  const events = Array.from({ length: count }, () => anEvent(merchantId))
  for (const event of events) await fixture.publish(event)
  for (const { id } of events) await fixture.deliveryIs(id, 'dead')
  return { merchantId, ids: events.map(({ id }) => id) }
}

test('an exhausted delivery is dead in the record, not in a queue, and a replay delivers it', async () => {
  const operator = fixture.operator(dispatcher)
  const { merchantId, ids } = await aMerchantWithDead(1)
  const [id = ''] = ids
  const record = await fixture.deliveryIs(id, 'dead')
  expect(record).toMatchObject({ dead_reason: 'exhausted', next_attempt_at: null, attempt_count: 4 })
  await fixture.queuesAreEmpty()

  const listed = await operator<Dead>('GET', `/operator/v1/deliveries/dead?merchant_id=${merchantId}`)
  expect(listed.body.data.deliveries).toMatchObject([{ id, dead_reason: 'exhausted', merchant_id: merchantId }])
  const inspected = await operator('GET', `/operator/v1/deliveries/${id}`)
  expect(inspected).toMatchObject({ status: 200, body: { data: { delivery: { id, body: record.body } } } })

  fixture.receiver.respondWith(() => ({ status: 200 }))
  expect(await operator('POST', `/operator/v1/deliveries/${id}/replay`)).toMatchObject({ status: 202 })
  expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([503, 503, 503, 503, 200])
  expect(await operator('POST', `/operator/v1/deliveries/${id}/replay`)).toMatchObject({
    status: 409,
    body: { code: 'delivery_not_dead' },
  })
  const metrics = await operator<string>('GET', '/metrics')
  expect(metrics.body).toMatch(/alerts_total\{kind="webhook_dead",service="webhook-dispatcher"\} 1/u)
  expect(metrics.body).toMatch(/webhook_attempts_total\{result="acknowledged",service="webhook-dispatcher"\} \d/u)
})

test('many are replayed at once, within limit, time and merchant', async () => {
  const operator = fixture.operator(dispatcher)
  const other = await aMerchantWithDead(1)
  const { merchantId, ids } = await aMerchantWithDead(3)
  fixture.receiver.respondWith(() => ({ status: 200 }))

  const replay = (body: object) => operator('POST', '/operator/v1/deliveries/replay', body)
  const past = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }
  expect(await replay({ merchant_id: merchantId, ...past, limit: 10 })).toMatchObject({
    status: 202,
    body: { data: { replayed: 0 } },
  })
  expect(await replay({ merchant_id: merchantId, limit: 2 })).toMatchObject({ status: 202, body: { data: { replayed: 2 } } })
  expect(await replay({ merchant_id: merchantId, limit: 10 })).toMatchObject({ status: 202, body: { data: { replayed: 1 } } })
  for (const id of ids) await fixture.deliveryIs(id, 'delivered')
  expect((await fixture.delivery(other.ids[0] ?? ''))?.status).toBe('dead')
})

test('only operators, and only with whole requests', async () => {
  const operator = fixture.operator(dispatcher)
  const path = '/operator/v1/deliveries/dead'
  expect(await operator('GET', path, undefined, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 })
  expect(await operator('GET', path, undefined, { authorization: '' })).toMatchObject({ status: 401 })
  expect(await operator('GET', '/operator/v1/deliveries/nothing.1')).toMatchObject({
    status: 404,
    body: { code: 'delivery_not_found' },
  })
  expect(await operator('POST', '/operator/v1/deliveries/replay', {})).toMatchObject({ status: 422 })
  expect(await operator('POST', '/operator/v1/deliveries/replay', { limit: 1001 })).toMatchObject({ status: 422 })
  const merchant = await fixture.as(dispatcher, 'mer_x')
  expect(await merchant('GET', path)).toMatchObject({ status: 404 })
})
