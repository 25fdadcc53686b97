/** Customers are purged: past the retention, and at a request. Nothing else of an order changes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newTransactionId, type CreateOrderResponse, type CustomerView, type OrderCreated } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import mongoose from 'mongoose'
import { anOrder, eventually, runScript, type EndedScript, type JsonClient } from '@gateway/testkit'
import { mongoCustomers } from '../src/persistence/customers.ts'
import { toDocument } from '../src/persistence/order-document.ts'
import { draftOrder } from '../src/domain/order.ts'
import { makePurgeDueCustomers } from '../src/use-cases/purge-due-customers.ts'
import { startFixture, type Fixture } from './fixture.ts'

const DAY_MS = 86_400_000
const PURGED = { id: null, name: null, email: null, phone: null }
const PERSONAL = /C-SECRET|Asha Secret|secret@example\.com|9876500001/u
const customer = { id: 'C-SECRET', name: 'Asha Secret', email: 'secret@example.com', phone: '9876500001' }

const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture(undefined, log)
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const orders = () => fixture.sandbox.client.db(fixture.config.database).collection<{ _id: string }>('orders')
const stored = (orderId: string, merchantId = 'M1') => orders().findOne({ _id: `${merchantId}:${orderId}` })

/** Runs the command as an operator's job does. */
function purge(...args: string[]): Promise<EndedScript> {
  return purgeWith({ CUSTOMER_RETENTION_DAYS: '365' }, ...args)
}

function purgeWith(more: Readonly<Record<string, string>>, ...args: string[]): Promise<EndedScript> {
  const { mongoUrl: MONGO_URL, database: DATABASE } = fixture.config
  const env = { ENVIRONMENT: 'sandbox', MONGO_URL, DATABASE, ...more }
  return runScript({ script: new URL('../src/purge-customers.ts', import.meta.url), args, env })
}

async function create(orderId: string, as = merchant): Promise<string> {
  const order = { ...anOrder({ customer, udf1: 'kept' }), order_id: orderId }
  const { status, body } = await as<CreateOrderResponse>('POST', '/api/v1/orders/create', order)
  expect(status).toBe(201)
  return body.data.transaction.id
}

/** Asks as payment-status does for a search. */
async function customersOf(...ids: string[]): Promise<Readonly<Record<string, CustomerView>>> {
  const { body } = await fixture.internal<{ customers: Record<string, CustomerView> }>('POST', '/internal/v1/orders/customers', {
    transaction_ids: ids,
  })
  return body.customers
}

/** Inserts orders of this age, with their events published. */
async function insertOld(ages: readonly number[], merchantId: string): Promise<string[]> {
  const documents = ages.map((ageMs, index) => {
    const now = new Date(Date.now() - ageMs)
    const order = draftOrder(
      { ...anOrder({ customer }), order_id: `OLD-${index}` },
      {
        merchant: { id: merchantId, name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
        transactionId: newTransactionId(now),
        fingerprint: 'f',
        correlationId: 'c',
        now,
        limits: fixture.config.limits,
      },
    )
    return { ...toDocument(order), outbox: [] }
  })
  await orders().insertMany(documents)
  return documents.map(({ transactionId }) => transactionId)
}

test('one order is purged at once: no text of its customer is left anywhere, and nothing else of it changes', async () => {
  const [asked, other] = [await create('ORD-ASKED'), await create('ORD-OTHER')]
  expect(await customersOf(asked)).toEqual({ [asked]: customer })
  const before = await eventually(async () => {
    const document = await stored('ORD-ASKED')
    expect(document).toMatchObject({ outbox: [] })
    return document
  })

  expect(await purge('order', 'M1', 'ORD-ASKED')).toEqual({ code: 0, stdout: 'order-api  M1 ORD-ASKED  purged\n', stderr: '' })
  expect(await customersOf(asked, other)).toEqual({ [asked]: PURGED, [other]: customer })
  const after = await stored('ORD-ASKED')
  expect(after).toEqual({
    ...before,
    customer: PURGED,
    customerPurgedAt: expect.any(Date),
    customerPurgedBy: 'request',
  })

  expect(await purge('order', 'M1', 'ORD-ASKED')).toMatchObject({ code: 0, stdout: 'order-api  M1 ORD-ASKED  purged before\n' })
  expect(await stored('ORD-ASKED')).toEqual(after)

  // Everything the service stores or writes: its database, its queue, its log.
  await purge('order', 'M1', 'ORD-OTHER')
  const collections = await fixture.sandbox.client.db(fixture.config.database).collections()
  const everything = JSON.stringify(await Promise.all(collections.map(async (one): Promise<unknown> => one.find().toArray())))
  expect(everything).toContain('ORD-ASKED')
  expect(everything).not.toMatch(PERSONAL)
  const events = await fixture.sandbox.takeAll<OrderCreated>(fixture.queue)
  expect(events.map(({ data }) => data.transaction_id)).toEqual(expect.arrayContaining([asked, other]))
  expect(JSON.stringify(events) + lines.join()).not.toMatch(PERSONAL)
})

test('the same create gives the original answer, and another under the same id a conflict, as before', async () => {
  const order = { ...anOrder({ customer }), order_id: 'ORD-AGAIN' }
  const first = await merchant<CreateOrderResponse>('POST', '/api/v1/orders/create', order)
  await purge('order', 'M1', 'ORD-AGAIN')
  expect(await merchant('POST', '/api/v1/orders/create', order)).toMatchObject({ status: 200, body: first.body })
  expect(await merchant('POST', '/api/v1/orders/create', { ...order, udf2: 'x' })).toMatchObject({ status: 409 })
  expect(await stored('ORD-AGAIN')).toMatchObject({ customer: PURGED })
})

test('an unknown order is named, and the others of the list are purged', async () => {
  await create('ORD-LISTED')
  const folder = mkdtempSync(join(tmpdir(), 'erasures-'))
  const file = join(folder, 'erasures.txt')
  writeFileSync(file, 'M2 ORD-LISTED # of another merchant\nM1 ORD-LISTED\n')
  expect(await purge('list', file)).toMatchObject({
    code: 1,
    stdout: 'order-api  M2 ORD-LISTED  is no order of this merchant\norder-api  M1 ORD-LISTED  purged\n',
  })
  rmSync(folder, { recursive: true })
  expect(await purge('order')).toMatchObject({ code: 2, stderr: expect.stringContaining('<merchant id> --all') })
})

test('all orders of one merchant, and none of merchants with a longer or shorter id', async () => {
  for (const name of ['MA', 'MA2', 'M']) await insertOld([DAY_MS, 3 * DAY_MS, 2 * DAY_MS], name)
  const before = new Date(Date.now() - 2.5 * DAY_MS).toISOString()
  expect((await purge('merchant', 'MA', '--before', before)).stdout).toContain('MA  1 purged; that was all created before')
  expect(await stored('OLD-1', 'MA')).toMatchObject({ customer: PURGED })
  expect((await purge('merchant', 'MA', '--all')).stdout).toContain('MA  2 purged; that was all\n')
  for (const index of [0, 1, 2]) {
    expect(await stored(`OLD-${index}`, 'MA')).toMatchObject({ customer: PURGED, customerPurgedBy: 'request' })
    for (const name of ['MA2', 'M']) expect(await stored(`OLD-${index}`, name)).toMatchObject({ customer })
  }
})

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
    const customers = mongoCustomers(connection)
    const step = makePurgeDueCustomers({ customers, retentionMs, observer, now: () => new Date(), batch })
    const all = async (): Promise<void> => {
      while (await step());
    }
    return { step, all, counts }
  }

  test('replicas together purge every customer past the retention once, in bounded batches, and none before', async () => {
    const old = await insertOld(
      Array.from({ length: 60 }, (_, index) => 400 * DAY_MS + index * 1000),
      'MS',
    )
    const young = await insertOld([364 * DAY_MS], 'MY')
    await mongoCustomers(connection).forgetProgress()
    const replicas = [1, 2, 3].map(() => sweepWith(365 * DAY_MS, 7))
    await Promise.all(replicas.map(({ all }) => all()))
    expect(replicas.reduce((sum, { counts }) => sum + counts.purged, 0)).toBe(60)
    const found = await customersOf(...old, ...young)
    for (const id of old) expect(found[id]).toEqual(PURGED)
    for (const id of young) expect(found[id]).toEqual(customer)
    expect(await stored('OLD-0', 'MS')).toMatchObject({ customerPurgedBy: 'retention' })
    expect(Date.now() - 365 * DAY_MS - Math.min(...replicas.map(({ counts }) => counts.upTo.getTime()))).toBeLessThan(60_000)
  })

  test('one step purges at most one batch, and an incomplete window is scanned again', async () => {
    const ids = await insertOld(
      Array.from({ length: 20 }, () => 350 * DAY_MS),
      'MB',
    )
    const { step, all, counts } = sweepWith(340 * DAY_MS, 5)
    while (counts.purged === 0) await step()
    expect(counts.purged).toBeLessThanOrEqual(5)
    await all()
    const found = await customersOf(...ids)
    for (const id of ids) expect(found[id]).toEqual(PURGED)
  })

  test('an order inserted behind the progress is found by starting from the first order', async () => {
    const [id = ''] = await insertOld([700 * DAY_MS], 'MI')
    await sweepWith(340 * DAY_MS, 5).all()
    expect(await customersOf(id)).toEqual({ [id]: customer })
    expect(await purge('due', '--from-start')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 purged') })
    expect(await customersOf(id)).toEqual({ [id]: PURGED })
  })
})

test('without CUSTOMER_RETENTION_DAYS `due` purges nothing; naming orders does not need it', async () => {
  const [id = ''] = await insertOld([3000 * DAY_MS], 'MD')
  const refused = await purgeWith({}, 'due', '--from-start')
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining('CUSTOMER_RETENTION_DAYS is required') })
  expect(await customersOf(id)).toEqual({ [id]: customer })
  expect(await purgeWith({}, 'order', 'MD', 'OLD-0')).toMatchObject({ code: 0 })
  expect(await customersOf(id)).toEqual({ [id]: PURGED })
})

test('a running service purges by itself, and exports how many and how late', async () => {
  const [id = ''] = await insertOld([500 * DAY_MS], 'MR')
  await fixture.sandbox.client.db(fixture.config.database).collection('customer_purge').deleteMany({})
  const { startOrderApi } = await import('../src/service.ts')
  const running = await startOrderApi({ ...fixture.config, customerPurgeIntervalMs: 50 }, log)
  const metrics = async () => (await fetch(`http://127.0.0.1:${running.port}/metrics`)).text()
  await eventually(async () => {
    expect(await customersOf(id)).toEqual({ [id]: PURGED })
    expect(await metrics()).toMatch(/^customers_purged_total\{[^}]*\} [1-9]/mu)
    expect(await metrics()).toMatch(/^customers_purge_lag_seconds\{[^}]*\} [0-9.]{1,6}$/mu)
  })
  // Events first: a purge may take a while, and all parts share one stop deadline.
  const names = running.parts.map(({ name }) => name)
  expect(names.indexOf('outbox')).toBeLessThan(names.indexOf('customer purge'))
  for (const part of running.parts) await part.stop(5000)
})
