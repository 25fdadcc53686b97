import mongoose from 'mongoose'
import type { JsonClient } from '@gateway/testkit'
import { mongoReadPayments } from '../src/lists/persistence/payment-lists.ts'
import { aCopy, startFixture, type Fixture } from './fixture.ts'

/** How lists are read from the database, and which queries are refused. */
let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

// Proves: ledger/lists-use-an-index
test('every list is read along an index, without a sort of more than a chunk', async () => {
  await fixture.store([aCopy({ rrn: 'X' }, new Date(Date.now() - 60_000))])
  const connection = await mongoose
    .createConnection(fixture.config.mongoUrl, { dbName: fixture.config.database, monitorCommands: true })
    .asPromise()
  try {
    const sent: mongoose.mongo.Document[] = []
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      if (['find', 'aggregate'].includes(commandName)) sent.push(command)
    })
    const list = mongoReadPayments(connection, { now: () => new Date(), examine: 100 })
    const conditions = [
      [{ equal: {} }, '_id_'],
      [{ equal: { status: 'Success' } }, 'status'],
      [{ equal: { refund_state: 'full' } }, 'refund_state'],
      [{ equal: { order_id: 'X' } }, 'order_id'],
      [{ equal: { rrn: 'X' } }, '_id_'],
      [{ equal: { payer_hash: 'X' } }, 'payer_hash'],
      [{ equal: { method: 'upi' }, minPaise: 100, maxPaise: 200 }, '_id_'],
    ] as const
    for (const [filter, index] of conditions) {
      sent.length = 0
      await list({ merchantId: 'M1', ...filter }, undefined, 20)
      // A list by rrn first reads ids, then the payments. In other lists later commands find the end, or read further windows.
      for (const { lsid: _session, $db, ...command } of sent.slice(0, 'rrn' in filter.equal ? 2 : 1)) {
        const explained = await connection.getClient().db(String($db)).command({ explain: command, verbosity: 'queryPlanner' })
        const plan = JSON.stringify(explained)
        expect(plan).toMatch(new RegExp(`"(?:Index Name|indexName)":"${index}"`, 'u'))
        expect(plan).not.toMatch(/"(?:Seq Scan|Sort|COLLSCAN)"/u)
      }
    }
  } finally {
    await connection.close()
  }
})

// Proves: ledger/lists-examine-a-bounded-number
test('a page examines no more documents than it may, and the next one goes on behind them', async () => {
  const now = Date.now()
  const amounts = Array.from({ length: 40 }, (_, index) => (index % 8 === 0 ? 90_000 : 100))
  const made = amounts.map((amount_paise, index) => aCopy({ merchant_id: 'M7', amount_paise }, new Date(now - 60_000 - index)))
  await fixture.store(made)
  const list = mongoReadPayments(fixture.connection, { now: () => new Date(), examine: 10 })
  const pages: string[][] = []
  let before: string | undefined
  do {
    const { found, next } = await list({ merchantId: 'M7', equal: {}, minPaise: 90_000 }, before, 2)
    pages.push(found.map(({ order_id }) => order_id))
    before = next
  } while (before !== undefined)
  expect(pages.map(({ length }) => length)).toEqual([2, 1, 1, 1, 0])
  expect(pages.flat()).toEqual(made.filter((_, index) => index % 8 === 0).map(({ order_id }) => order_id))
})

test('reading needs the scope read, and queries are checked', async () => {
  const without = await fixture.as('M1', ['orders'])
  expect(await without('GET', '/api/v1/orders')).toMatchObject({ status: 403, body: { code: 'scope_missing' } })
  for (const query of ['from=2026-11-21T10:00:00', 'limit=0', 'limit=101', 'cursor=x', 'status=Done', 'skip=3', 'amount_min=1e3'])
    expect([query, await merchant('GET', `/api/v1/orders?${query}`)]).toMatchObject([query, { status: 422 }])
})

// Proves: ledger/reversed-ranges-are-refused
test('a range that ends before it begins is refused, with the name of its field, on every list', async () => {
  const times = 'from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z'
  const cases = [
    [`orders?${times}`, '/from'],
    [`refunds?${times}`, '/from'],
    ['settlements?from=2026-11-22&to=2026-11-21', '/from'],
    ['orders?amount_min=2.00&amount_max=1.99', '/amount_min'],
    ['refunds?amount_min=2.00&amount_max=1.99', '/amount_min'],
  ]
  for (const [query, field] of cases)
    expect([query, await merchant('GET', `/api/v1/${query}`)]).toMatchObject([
      query,
      { status: 422, body: { code: 'validation_failed', errors: [{ field, message: expect.stringContaining('must not') }] } },
    ])
})
