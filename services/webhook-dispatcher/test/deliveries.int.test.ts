import mongoose from 'mongoose'
import { silentLog } from '@gateway/service-kit'
import { connectDatabase, type Database } from '@gateway/service-kit/mongo'
import { createSandbox, type Sandbox } from '@gateway/testkit'
import { decide, openDelivery, type Attempt, type Delivery } from '../src/deliveries/domain/delivery.ts'
import { mongoDeliveries, type Deliveries } from '../src/deliveries/persistence/deliveries.ts'
import { MAX_PAGE_BYTES } from '../src/deliveries/domain/page-size.ts'
import { pageView } from '../src/deliveries/http/views.ts'
import { operatorDeliveryView } from '../src/operating/http/views.ts'
import { deliveryIndexes } from '../src/deliveries/persistence/delivery-indexes.ts'
import { mongoDeliveryLists, type PageRequest } from '../src/deliveries/persistence/delivery-lists.ts'
import { mongoDeliveryReadModel } from '../src/deliveries/persistence/read-model.ts'
import { createReadDeliveries } from '../src/deliveries/use-cases/read-deliveries.ts'
import { anEvent } from './builders.ts'

let sandbox: Sandbox
let database: Database
let deliveries: Deliveries
beforeAll(async () => {
  sandbox = await createSandbox()
  database = await connectDatabase({ url: sandbox.mongoUrl, name: sandbox.database('webhook_dispatcher'), log: silentLog })
  for (const indexes of deliveryIndexes(database.connection, 24 * 60 * 60 * 1000)) await indexes.build()
  deliveries = mongoDeliveries(database.connection)
})
afterAll(async () => {
  await database.close()
  await sandbox.remove([])
})

const start = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1000)
const many = Array.from({ length: 10 }, (_, index) => index)
const failed = (number: number): Attempt => ({
  number,
  at: at(number),
  duration_ms: 1,
  status_code: 500,
  error: null,
  address: null,
  response_excerpt: null,
})
const aDelivery = (): Delivery =>
  openDelivery(anEvent('mer_record'), { channel: 'payment', body: '{}' }, 'https://merchant.example/', at(0))
/** Recorded at this second, over no claim. */
const unclaimed = (seconds: number) => ({ now: at(seconds), claimedUntil: new Date(0) })
const endlessly = (attempt: Attempt) => decide(attempt, 0, Array<number>(100).fill(1000), at(attempt.number))

// Proves: webhooks/common-path
test('of many concurrent inserts of one delivery one succeeds; other deliveries in the batch are not affected', async () => {
  const delivery = aDelivery()
  const other = aDelivery()
  const results = await Promise.all([...many.map(() => deliveries.insert(delivery)), deliveries.insert(other)])
  expect(results.filter(Boolean)).toHaveLength(2)
  expect(await deliveries.find(delivery.id)).toEqual(delivery)
  expect(await deliveries.find(other.id)).toEqual(other)
})

// Proves: webhooks/one-attempt-at-a-time, webhooks/redelivery-claims-the-record
// Proves: broker/attempts-are-counted-in-the-record
test('of many concurrent claims one wins and holds until its lease ends', async () => {
  const delivery = aDelivery()
  const { id } = delivery
  await deliveries.insert(delivery)
  const claim = (number: number, seconds: number) =>
    deliveries.claim(delivery, number, { now: at(seconds), until: at(seconds + 10) })
  expect((await Promise.all(many.map(() => claim(1, 0)))).filter(Boolean)).toHaveLength(1)
  expect(await claim(1, 9)).toBeUndefined()
  expect(await claim(2, 20)).toBeUndefined()
  expect((await claim(1, 20))?.id).toBe(id)
})

// Proves: webhooks/record-is-the-truth
test('of many records of one attempt one counts, and only its holder continues', async () => {
  const delivery = aDelivery()
  const { id } = delivery
  await deliveries.insert(delivery)
  const recorded = await Promise.all(many.map(() => deliveries.record(delivery, failed(1), endlessly(failed(1)), unclaimed(1))))
  expect(recorded.filter((result) => result === 'recorded')).toHaveLength(1)
  expect(recorded.filter((result) => result === 'lost')).toHaveLength(many.length - 1)
  expect((await deliveries.find(id))?.attempts).toEqual([failed(1)])
})

// Proves: webhooks/redelivery-claims-the-record
test('a closed delivery takes neither claim nor record', async () => {
  const delivery: Delivery = { ...aDelivery(), state: { status: 'delivered' } }
  await deliveries.insert(delivery)
  expect(await deliveries.claim(delivery, 1, { now: at(0), until: at(10) })).toBeUndefined()
  expect(await deliveries.record(delivery, failed(1), endlessly(failed(1)), unclaimed(1))).toBe('lost')
})

test('the last fifty attempts are kept, and all are counted', async () => {
  const delivery = aDelivery()
  const { id } = delivery
  await deliveries.insert(delivery)
  for (let number = 1; number <= 55; number++)
    await deliveries.record(delivery, failed(number), endlessly(failed(number)), unclaimed(number))
  const found = await deliveries.find(id)
  expect(found?.attempt_count).toBe(55)
  expect(found?.attempts.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, index) => index + 6))
})

test('the last twenty resends are kept', async () => {
  const delivery = aDelivery()
  const { id } = delivery
  await deliveries.insert(delivery)
  for (let second = 1; second <= 25; second++) {
    const found = await deliveries.find(id)
    expect(found && (await deliveries.reopen(found, 'https://merchant.example/', at(second)))).toBe(true)
  }
  const resends = (await deliveries.find(id))?.resends ?? []
  expect(resends.map((resend) => resend.at)).toEqual(Array.from({ length: 20 }, (_, index) => at(index + 6)))
})

// Proves: webhooks/acknowledged-delivery-delivered
describe('an attempt whose claim went to another replica', () => {
  const acknowledged = (number: number): Attempt => ({ ...failed(number), status_code: 200 })
  /** Claimed until second 10, and again until second 30. */
  const claimedTwice = async (): Promise<Delivery> => {
    const delivery = aDelivery()
    await deliveries.insert(delivery, at(10))
    expect(await deliveries.claim(delivery, 1, { now: at(20), until: at(30) })).toBeDefined()
    return delivery
  }
  const record = (delivery: Delivery, attempt: Attempt, now: number, claimedUntil: number) =>
    deliveries.record(delivery, attempt, endlessly(attempt), { now: at(now), claimedUntil: at(claimedUntil) })

  test('is lost when it failed: only the holder of the claim records', async () => {
    const delivery = await claimedTwice()
    expect(await record(delivery, failed(1), 21, 10)).toBe('lost')
    expect(await record(delivery, failed(1), 22, 30)).toBe('recorded')
    expect(await deliveries.find(delivery.id)).toMatchObject({
      attempt_count: 1,
      attempts: [failed(1)],
      state: { status: 'retrying' },
    })
  })

  test('delivers when it was acknowledged, whether the holder records before or after it', async () => {
    const [before, after] = [await claimedTwice(), await claimedTwice()]
    expect(await record(before, failed(1), 21, 30)).toBe('recorded')
    expect(await record(before, acknowledged(1), 22, 10)).toBe('recorded')
    expect(await record(after, acknowledged(1), 21, 10)).toBe('recorded')
    expect(await record(after, failed(1), 22, 30)).toBe('lost')
    for (const { id } of [before, after])
      expect(await deliveries.find(id)).toMatchObject({ state: { status: 'delivered' }, attempt_count: 1 })
  })

  test('says nothing about a later round, which a resend began', async () => {
    const delivery = { ...aDelivery(), state: { status: 'delivered' }, attempt_count: 1 } as const
    await deliveries.insert(delivery)
    expect(await deliveries.reopen(delivery, 'https://merchant.example/', at(5))).toBe(true)
    expect(await record(delivery, acknowledged(1), 6, 3)).toBe('lost')
    expect(await deliveries.find(delivery.id)).toMatchObject({ state: { status: 'retrying' } })
  })
})

// Proves: webhooks/sweep-publishes-overdue
test('the sweep sees overdue unclaimed deliveries, the oldest first, and one replica takes each', async () => {
  const lists = mongoDeliveryLists(database.connection, () => undefined)
  await database.connection.collection('deliveries').deleteMany({})
  const due = (seconds: number): Delivery => ({ ...aDelivery(), state: { status: 'retrying', next_attempt_at: at(seconds) } })
  const [older, old, held, young] = [due(10), due(20), due(15), due(60)]
  for (const delivery of [old, older, young]) await deliveries.insert(delivery)
  await deliveries.insert(held, at(100))

  const overdue = await lists.overdue(at(30), at(50), 10)
  expect(overdue.map(({ id }) => id)).toEqual([older.id, old.id])
  expect((await lists.overdue(at(30), at(50), 1)).map(({ id }) => id)).toEqual([older.id])
  const taken = await Promise.all(many.map(() => lists.takeOverdue(older, at(10), at(50))))
  expect(taken.filter(Boolean)).toHaveLength(1)
  expect((await lists.overdue(at(30), at(50), 10)).map(({ id }) => id)).toEqual([old.id])
})

// Proves: webhooks/list-page-reads-few
test('a long list is read page by page, newest first, without reading the whole of it', async () => {
  const merchantId = 'mer_long_list'
  const list = Array.from({ length: 3000 }, (_, index) => ({
    ...openDelivery(anEvent(merchantId), { channel: 'payment', body: '{}' }, 'https://merchant.example/', at(0)),
    // A busy quarter of an hour, four at each of its moments; before it one an hour.
    created_at: index < 2500 ? at(-Math.floor(index / 4)) : at(-3600 * (index - 2498)),
  }))
  await Promise.all(list.map((delivery) => deliveries.insert(delivery)))
  const sizes: number[] = []
  const watched = await mongoose
    .createConnection(sandbox.mongoUrl, { dbName: database.connection.name, monitorCommands: true })
    .asPromise()
  const note = ({ reply }: { reply: { cursor?: { firstBatch?: unknown[] } } }) => {
    sizes.push(reply.cursor?.firstBatch?.length ?? 0)
  }
  watched.getClient().on('commandSucceeded', note)
  const lists = mongoDeliveryLists(
    watched,
    () => undefined,
    () => at(0),
  )
  const seen: Delivery[] = []
  for (let page = await lists.ofMerchant({ merchantId }, { limit: 100 }); page.length > 0;) {
    seen.push(...page)
    const { created_at, id } = page.at(-1) ?? { created_at: at(0), id: '' }
    page = await lists.ofMerchant({ merchantId }, { limit: 100, after: { created_at, id } })
  }
  await watched.close()
  const newestFirst = (one: Delivery, other: Delivery): number =>
    other.created_at.getTime() - one.created_at.getTime() || (other.id > one.id ? 1 : -1)
  expect(seen.map(({ id }) => id)).toEqual(list.toSorted(newestFirst).map(({ id }) => id))
  expect(sizes.length).toBeGreaterThan(list.length / 100)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
})

// Proves: webhooks/operators-list-and-replay
test('a replay reads where each dead delivery is, and nothing of its attempts', async () => {
  const merchantId = 'mer_positions'
  const dead = many.map((index) => ({
    ...aDelivery(),
    ...{ merchant_id: merchantId, created_at: at(index), attempts: [failed(index)] },
    state: { status: 'dead', reason: 'exhausted' } as const,
  }))
  for (const delivery of dead) await deliveries.insert(delivery)
  const watched = await mongoose
    .createConnection(sandbox.mongoUrl, { dbName: database.connection.name, monitorCommands: true })
    .asPromise()
  const read: string[] = []
  watched.getClient().on('commandSucceeded', ({ reply }: { reply: unknown }) => void read.push(JSON.stringify(reply)))
  const lists = mongoDeliveryLists(
    watched,
    () => undefined,
    () => at(3600),
  )
  const [newest, ...older] = dead.toReversed().map(({ id, created_at }) => ({ id, created_at }))
  expect(await lists.positionsOfDead({ merchantId }, { limit: 1 })).toEqual([newest])
  expect(await lists.positionsOfDead({ merchantId }, { limit: 100, after: newest })).toEqual(older)
  await watched.close()
  expect(read.join('')).toContain(dead[1]?.id)
  expect(read.join('')).not.toContain('attempts')
})

// Proves: webhooks/pages-are-bounded-in-bytes
test('long deliveries make a page shorter than its limit, and the pages still name each delivery once', async () => {
  const merchantId = 'mer_long'
  const attempts = many
    .concat(many, many, many, many)
    .map((_, index) => ({ ...failed(index), response_excerpt: '"'.repeat(1024) }))
  const long = many.map(() => ({ ...aDelivery(), merchant_id: merchantId, order_id: 'ORD-LONG', attempts }))
  for (const delivery of long) await deliveries.insert(delivery)
  const lists = mongoDeliveryLists(
    database.connection,
    () => undefined,
    () => at(1),
  )
  const list = createReadDeliveries({ deliveries, lists, readModel: mongoDeliveryReadModel(database.connection) })
  for (const orderId of [undefined, 'ORD-LONG']) {
    const seen: string[] = []
    for (let after: PageRequest['after'], pages = 1; ; pages += 1) {
      const page = await list.ofMerchant({ merchantId, orderId }, { limit: 100, after })
      expect(Buffer.byteLength(JSON.stringify(pageView(page, operatorDeliveryView)))).toBeLessThan(MAX_PAGE_BYTES)
      seen.push(...page.deliveries.map(({ id }) => id))
      after = page.next
      if (!after) {
        expect(pages).toBe(5)
        break
      }
    }
    expect(seen.toSorted()).toEqual(long.map(({ id }) => id).toSorted())
  }
})
