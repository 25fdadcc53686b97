/** Customers are purged at a request. Nothing else of an order changes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreateOrderResponse, OrderCreated } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { anOrder, eventually } from '@gateway/testkit'
import { customer, customersOf, DAY_MS, PURGED } from './customers.ts'
import { startFixture, type Fixture } from './fixture.ts'

const PERSONAL = /C-SECRET|Asha Secret|secret@example\.com|9876500001/u

const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }

let fixture: Fixture
let customers: ReturnType<typeof customersOf>
beforeAll(async () => {
  fixture = await startFixture(undefined, log)
  customers = customersOf(fixture)
})
afterAll(() => fixture.stop())

// Proves: operate/purge-leaves-no-copy
test('one order is purged at once: no text of its customer is left anywhere, and nothing else of it changes', async () => {
  const merchant = await fixture.as('M1')
  const [asked, other] = [await customers.create('ORD-ASKED', merchant), await customers.create('ORD-OTHER', merchant)]
  expect(await customers.find(asked)).toEqual({ [asked]: customer })
  const before = await eventually(async () => {
    const document = await customers.stored('ORD-ASKED')
    expect(document).toMatchObject({ outbox: [] })
    return document
  })

  expect(await customers.purge('order', 'M1', 'ORD-ASKED')).toEqual({
    code: 0,
    stdout: 'order-api  M1 ORD-ASKED  purged\n',
    stderr: '',
  })
  expect(await customers.find(asked, other)).toEqual({ [asked]: PURGED, [other]: customer })
  const after = await customers.stored('ORD-ASKED')
  expect(after).toEqual({
    ...before,
    customer: PURGED,
    customer_purged_at: expect.any(Date),
    customer_purged_by: 'request',
  })

  expect(await customers.purge('order', 'M1', 'ORD-ASKED')).toMatchObject({
    code: 0,
    stdout: 'order-api  M1 ORD-ASKED  purged before\n',
  })
  expect(await customers.stored('ORD-ASKED')).toEqual(after)

  // Everything the service stores or writes: its database, its queue, its log.
  await customers.purge('order', 'M1', 'ORD-OTHER')
  const collections = await fixture.sandbox.client.db(fixture.config.database).collections()
  const everything = JSON.stringify(await Promise.all(collections.map(async (one): Promise<unknown> => one.find().toArray())))
  expect(everything).toContain('ORD-ASKED')
  expect(everything).not.toMatch(PERSONAL)
  const events = await fixture.sandbox.takeAll<OrderCreated>(fixture.queue)
  expect(events.map(({ data }) => data.transaction_id)).toEqual(expect.arrayContaining([asked, other]))
  expect(JSON.stringify(events) + lines.join()).not.toMatch(PERSONAL)
})

// Proves: operate/purge-leaves-no-copy
test('the same create gives the original answer, and another under the same id a conflict, as before', async () => {
  const merchant = await fixture.as('M1')
  const order = { ...anOrder({ customer }), order_id: 'ORD-AGAIN' }
  const first = await merchant<CreateOrderResponse>('POST', '/api/v1/orders/create', order)
  await customers.purge('order', 'M1', 'ORD-AGAIN')
  expect(await merchant('POST', '/api/v1/orders/create', order)).toMatchObject({ status: 200, body: first.body })
  expect(await merchant('POST', '/api/v1/orders/create', { ...order, udf2: 'x' })).toMatchObject({ status: 409 })
  expect(await customers.stored('ORD-AGAIN')).toMatchObject({ customer: PURGED })
})

test('an unknown order is named, and the others of the list are purged', async () => {
  await customers.create('ORD-LISTED', await fixture.as('M1'))
  const folder = mkdtempSync(join(tmpdir(), 'erasures-'))
  const file = join(folder, 'erasures.txt')
  writeFileSync(file, 'M2 ORD-LISTED # of another merchant\nM1 ORD-LISTED\n')
  expect(await customers.purge('list', file)).toMatchObject({
    code: 1,
    stdout: 'order-api  M2 ORD-LISTED  is no order of this merchant\norder-api  M1 ORD-LISTED  purged\n',
  })
  rmSync(folder, { recursive: true })
  expect(await customers.purge('order')).toMatchObject({ code: 2, stderr: expect.stringContaining('<merchant id> --all') })
})

// Proves: operate/customers-are-purged
test('all orders of one merchant, and none of merchants with a longer or shorter id', async () => {
  for (const name of ['MA', 'MA2', 'M']) await customers.insertOld([DAY_MS, 3 * DAY_MS, 2 * DAY_MS], name)
  const before = new Date(Date.now() - 2.5 * DAY_MS).toISOString()
  expect((await customers.purge('merchant', 'MA', '--before', before)).stdout).toContain(
    'MA  1 purged; that was all created before',
  )
  expect(await customers.stored('OLD-1', 'MA')).toMatchObject({ customer: PURGED })
  expect((await customers.purge('merchant', 'MA', '--all')).stdout).toContain('MA  2 purged; that was all\n')
  for (const index of [0, 1, 2]) {
    expect(await customers.stored(`OLD-${index}`, 'MA')).toMatchObject({ customer: PURGED, customer_purged_by: 'request' })
    for (const name of ['MA2', 'M']) expect(await customers.stored(`OLD-${index}`, name)).toMatchObject({ customer })
  }
})
