/** Customers are purged when their orders are past the retention. */
import { silentLog } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit'
import mongoose from 'mongoose'
import { mongoCustomers } from '../src/persistence/customers.ts'
import { startOrderApi } from '../src/service.ts'
import { makePurgeDueCustomers } from '../src/use-cases/purge-customers.ts'
import { customer, customersOf, DAY_MS, PURGED } from './customers.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let customers: ReturnType<typeof customersOf>
beforeAll(async () => {
  fixture = await startFixture(undefined, silentLog)
  customers = customersOf(fixture)
  // The service's own first run must be over: it would purge some of the tests' orders itself.
  const progress = fixture.sandbox.client.db(fixture.config.database).collection<{ up_to: Date }>('customer_purge')
  const cutoffMs = Date.now() - fixture.config.customerRetentionMs
  await eventually(async () => {
    const { up_to } = (await progress.findOne()) ?? { up_to: new Date(0) }
    expect(up_to.getTime()).toBeGreaterThan(cutoffMs - 60_000)
  })
})
afterAll(() => fixture.stop())

describe('the purge of due customers', () => {
  let connection: mongoose.Connection
  beforeAll(async () => {
    connection = await mongoose.createConnection(fixture.sandbox.mongoUrl, { dbName: fixture.config.database }).asPromise()
  })
  afterAll(() => connection.close())

  const sweepWith = (retentionMs: number, batch: number) => {
    const counts = { purged: 0, upTo: new Date(0) }
    const observer = {
      purged: (count: number) => void (counts.purged += count),
      upTo: (instant: Date) => void (counts.upTo = instant),
    }
    const step = makePurgeDueCustomers({
      customers: mongoCustomers(connection),
      retentionMs,
      observer,
      now: () => new Date(),
      batch,
    })
    const all = async (): Promise<void> => {
      while (await step());
    }
    return { step, all, counts }
  }

  // Proves: operate/customers-are-purged
  test('replicas together purge every customer past the retention once, in bounded batches, and none before', async () => {
    const old = await customers.insertOld(
      Array.from({ length: 60 }, (_, index) => 400 * DAY_MS + index * 1000),
      'MS',
    )
    const young = await customers.insertOld([364 * DAY_MS], 'MY')
    await mongoCustomers(connection).forgetProgress()
    const replicas = [1, 2, 3].map(() => sweepWith(365 * DAY_MS, 7))
    await Promise.all(replicas.map(({ all }) => all()))
    expect(replicas.reduce((sum, { counts }) => sum + counts.purged, 0)).toBe(60)
    const found = await customers.find(...old, ...young)
    for (const id of old) expect(found[id]).toEqual(PURGED)
    for (const id of young) expect(found[id]).toEqual(customer)
    expect(await customers.stored('OLD-0', 'MS')).toMatchObject({ customer_purged_by: 'retention' })
    expect(Date.now() - 365 * DAY_MS - Math.min(...replicas.map(({ counts }) => counts.upTo.getTime()))).toBeLessThan(60_000)
  })

  // Proves: operate/customers-are-purged
  test('one step purges at most one batch, and an incomplete window is scanned again', async () => {
    const ids = await customers.insertOld(
      Array.from({ length: 20 }, () => 350 * DAY_MS),
      'MB',
    )
    const { step, all, counts } = sweepWith(340 * DAY_MS, 5)
    while (counts.purged === 0) await step()
    expect(counts.purged).toBeLessThanOrEqual(5)
    await all()
    const found = await customers.find(...ids)
    for (const id of ids) expect(found[id]).toEqual(PURGED)
  })

  test('an order inserted behind the progress is found by starting from the first order', async () => {
    const [id = ''] = await customers.insertOld([700 * DAY_MS], 'MI')
    await sweepWith(340 * DAY_MS, 5).all()
    expect(await customers.find(id)).toEqual({ [id]: customer })
    expect(await customers.purge('due', '--from-start')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 purged') })
    expect(await customers.find(id)).toEqual({ [id]: PURGED })
  })
})

// Proves: operate/customers-are-purged
test('without CUSTOMER_RETENTION_DAYS `due` purges nothing; naming orders does not need it', async () => {
  const [id = ''] = await customers.insertOld([3000 * DAY_MS], 'MD')
  const refused = await customers.purgeWith({}, 'due', '--from-start')
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining('CUSTOMER_RETENTION_DAYS is required') })
  expect(await customers.find(id)).toEqual({ [id]: customer })
  expect(await customers.purgeWith({}, 'order', 'MD', 'OLD-0')).toMatchObject({ code: 0 })
  expect(await customers.find(id)).toEqual({ [id]: PURGED })
})

// Proves: operate/customers-are-purged
test('a running service purges by itself, and exports how many and how late', async () => {
  const [id = ''] = await customers.insertOld([500 * DAY_MS], 'MR')
  await fixture.sandbox.client.db(fixture.config.database).collection('customer_purge').deleteMany({})
  const running = await startOrderApi({ ...fixture.config, customerPurgeIntervalMs: 50 }, silentLog)
  const metrics = async () => (await fetch(`http://127.0.0.1:${running.port}/metrics`)).text()
  await eventually(async () => {
    expect(await customers.find(id)).toEqual({ [id]: PURGED })
    expect(await metrics()).toMatch(/^customers_purged_total\{[^}]*\} [1-9]/mu)
    expect(await metrics()).toMatch(/^customers_purge_lag_seconds\{[^}]*\} [0-9.]{1,6}$/mu)
  })
  // Events first: a purge may take a while, and all parts share one stop deadline.
  const names = running.parts.map(({ name }) => name)
  expect(names.indexOf('outbox')).toBeLessThan(names.indexOf('customer purge'))
  for (const part of running.parts) await part.stop(5000)
})
