import { until } from '@gateway/messaging/testing'
import { putBackEvents, type OutboxDocument, type PutBack } from '../src/index.ts'
import { documentOf, entry, idOf, startOutboxFixture, type OutboxFixture } from './outbox-fixture.ts'

let fixture: OutboxFixture
beforeEach(async () => (fixture = await startOutboxFixture()))
afterEach(() => fixture.stop())

async function* each(items: readonly PutBack[]): AsyncGenerator<PutBack> {
  yield* items
}
const of = (number: number): PutBack => ({ documentId: idOf(`d${number}`), entries: [entry(`d${number}.0`, 86_400_000)] })
/** A document whose event was published. */
const published = (number: number): OutboxDocument => ({ ...documentOf(entry(`d${number}.0`)), outbox: [] })
const now = () => new Date()

// Proves: operate/republish-after-restore
test('running replicas publish the events again; only a few wait at a time, and they are cleared from their documents', async () => {
  await fixture.collection.insertMany(Array.from({ length: 40 }, (_, number) => published(number)))
  const relay = fixture.relay({ sweepAfterMs: 0 })
  let [waits, most] = [0, 0]
  const looking = setInterval(() => {
    fixture.unpublished().then(
      (count) => (most = Math.max(most, count)),
      () => undefined,
    )
  }, 5)
  try {
    const putting = putBackEvents(fixture.collection, each(Array.from({ length: 40 }, (_, number) => of(number))), {
      now,
      onWait: () => (waits += 1),
      waitingAtMost: 10,
    })
    // No relay runs yet, so it waits.
    await until('it waits', () => waits === 1)
    relay.start()
    expect(await putting).toBe(40)
    await until('all is published', async () => (await fixture.unpublished()) === 0)
  } finally {
    clearInterval(looking)
  }
  expect(most).toBeLessThanOrEqual(10)
  expect(relay.stats().published).toBe(40)
})

test('an event that is still in its outbox is not added again, and a missing document is skipped', async () => {
  await fixture.collection.insertOne(published(1))
  const options = { now, onWait: () => undefined }
  expect(await putBackEvents(fixture.collection, each([of(1), of(1), of(2)]), options)).toBe(1)
  expect(await putBackEvents(fixture.collection, each([of(1)]), options)).toBe(0)
  const document = await fixture.collection.findOne({ _id: idOf('d1') })
  expect(document?.outbox).toHaveLength(1)
  expect(Date.now() - Number(document?.outbox[0]?.at)).toBeLessThan(60_000)
})

test('many are written by one command, found by the next sweep, and published as maybe published', async () => {
  await fixture.collection.insertMany(Array.from({ length: 40 }, (_, number) => published(number)))
  const all = each(Array.from({ length: 40 }, (_, number) => of(number)))
  expect(await putBackEvents(fixture.collection, all, { now, onWait: () => undefined })).toBe(40)
  expect(fixture.sent('update')).toHaveLength(1)

  // They are old enough for a sweep.
  expect(await fixture.relay().sweepOnce()).toBe(40)
  const { properties } = await fixture.take(fixture.declared.queues.orderCreated)
  expect(properties.headers).toMatchObject({ 'maybe-published': true })
})
