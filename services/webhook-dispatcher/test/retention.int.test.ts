import { buildIndexes } from '@gateway/service-kit/mongo'
import { eventually } from '@gateway/testkit'
import type { DeliveryDocument } from '../src/deliveries/persistence/delivery-document.ts'
import { indexesFor } from '../src/wiring/indexes.ts'
import { anEvent, registerEndpoint } from './builders.ts'
import { log, startFixture, type Fixture } from './fixture.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.remove())

const records = () => fixture.sandbox.client.db(fixture.database).collection<DeliveryDocument>('deliveries')
const retentionDays = async () => {
  const index = (await records().indexes()).find(({ name }) => name === 'retention')
  return [index?.key, (index?.expireAfterSeconds ?? 0) / 86_400]
}

const retain = (days: number) => buildIndexes(fixture.config(), indexesFor({ retentionMs: days * DAY_MS }), log)

// Proves: webhooks/finished-records-retention, deploy/index-step
test('the retention is the one configured last', async () => {
  for (const days of [30, 7, 7]) {
    await retain(days)
    expect(await retentionDays()).toEqual([{ finished_at: 1 }, days])
  }
})

// Proves: webhooks/finished-records-retention
test('only a finished delivery has an end time: retries and resends clear it', async () => {
  const dispatcher = await fixture.start()
  const api = await fixture.as(dispatcher, 'mer_retention')
  await registerEndpoint(api, fixture.receiver.url)
  fixture.receiver.respondWith(() => ({ status: 500 }))
  const event = anEvent('mer_retention')
  await fixture.publish(event)
  expect((await fixture.deliveryIs(event.id, 'retrying')).finished_at).toBeNull()
  const dead = await fixture.deliveryIs(event.id, 'dead')
  expect(dead.finished_at?.getTime()).toBeGreaterThanOrEqual(dead.attempts.at(-1)?.at.getTime() ?? Infinity)

  const gate = Promise.withResolvers<undefined>()
  fixture.receiver.respondWith(async () => {
    await gate.promise
    return { status: 200 }
  })
  await api('POST', `/api/v1/webhooks/deliveries/${event.id}/resend`, { to: 'original' })
  expect((await fixture.deliveryIs(event.id, 'retrying')).finished_at).toBeNull()
  gate.resolve(undefined)
  expect((await fixture.deliveryIs(event.id, 'delivered')).finished_at).toBeInstanceOf(Date)

  const first = anEvent('mer_retention')
  await fixture.publish(first)
  expect((await fixture.deliveryIs(first.id, 'delivered')).finished_at).toBeInstanceOf(Date)
  const nowhere = anEvent('mer_without_endpoint')
  await fixture.publish(nowhere)
  expect((await fixture.deliveryIs(nowhere.id, 'dead')).finished_at).toBeInstanceOf(Date)
  await fixture.stop(dispatcher)
})

// Proves: webhooks/finished-records-retention
test('the database removes deliveries that finished before the retention, and no open one', async () => {
  await retain(30)
  const dispatcher = await fixture.start({}, { sweepIntervalMs: 600_000 })
  const [template] = await records().find({ status: 'delivered' }).limit(1).toArray()
  if (!template) throw new Error('the test before has left a delivery')
  const old = new Date(Date.now() - 31 * DAY_MS)
  const young = new Date(Date.now() - 29 * DAY_MS)
  const open = { status: 'retrying', next_attempt_at: old, finished_at: null } as const
  await records().insertMany([
    { ...template, _id: 'old.1', created_at: old, finished_at: old },
    { ...template, _id: 'old-dead.1', status: 'dead', dead_reason: 'exhausted', created_at: old, finished_at: old },
    { ...template, _id: 'old-open.1', ...open, created_at: old },
    { ...template, _id: 'old-finished-lately.1', created_at: old, finished_at: young },
  ])
  // Databases look about once a minute.
  await eventually(async () => expect(await records().countDocuments({ _id: { $in: ['old.1', 'old-dead.1'] } })).toBe(0), {
    deadlineMs: 170_000,
    pauseMs: 1000,
  })
  expect(await records().countDocuments({ _id: { $in: ['old-open.1', 'old-finished-lately.1'] } })).toBe(2)
  await fixture.stop(dispatcher)
}, 200_000)

// Proves: webhooks/record-keeps-50-attempts
test('after many resends a record keeps the latest fifty attempts and counts all', async () => {
  const dispatcher = await fixture.start()
  const api = await fixture.as(dispatcher, 'mer_retention')
  fixture.receiver.respondWith(() => ({ status: 200, body: 'x'.repeat(5000) }))
  const event = anEvent('mer_retention')
  await fixture.publish(event)
  const { attempts } = await fixture.deliveryIs(event.id, 'delivered')
  // On a busy machine an attempt before it may have timed out.
  const attempt = attempts.at(-1)
  if (!attempt) throw new Error('it was tried')
  expect(attempt).toMatchObject({ address: `127.0.0.1:${fixture.receiver.port}`, response_excerpt: 'x'.repeat(1024) })
  const many = Array.from({ length: 50 }, (_, index) => ({ ...attempt, number: index + 1 }))
  await records().updateOne({ _id: event.id }, { $set: { attempts: many, attempt_count: 50 } })
  for (const count of [51, 52]) {
    await api('POST', `/api/v1/webhooks/deliveries/${event.id}/resend`, { to: 'original' })
    await eventually(async () => expect((await fixture.deliveryIs(event.id, 'delivered')).attempt_count).toBe(count))
  }
  const record = await fixture.delivery(event.id)
  expect(record?.attempts.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, index) => index + 3))
  await fixture.stop(dispatcher)
})
