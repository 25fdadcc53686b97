import mongoose from 'mongoose'
import type { JsonClient } from '@gateway/testkit'
import { firstPosition, type ListPosition } from '../src/domain/list-filter.ts'
import { mongoReadChunk, type Chunk } from '../src/persistence/payment-lists.ts'
import { anEvent, startFixture, type Fixture } from './fixture.ts'

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
  await fixture.store([anEvent({ rrn: 'X' }, new Date(Date.now() - 60_000))])
  const connection = await mongoose
    .createConnection(fixture.config.mongoUrl, { dbName: fixture.config.database, monitorCommands: true })
    .asPromise()
  try {
    const sent: mongoose.mongo.Document[] = []
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      if (['find', 'aggregate'].includes(commandName)) sent.push(command)
    })
    const readChunk = mongoReadChunk(connection)
    const conditions = [
      [{ indexed: {} }, '_id_'],
      [{ indexed: { status: 'Success' } }, 'status'],
      [{ indexed: { refundState: 'full' } }, 'refund_state'],
      [{ indexed: { orderId: 'X' } }, 'order_id'],
      [{ indexed: { rrn: 'X' } }, '_id_'],
      [{ indexed: { payerHash: 'X' } }, 'payer_hash'],
      [{ indexed: {}, method: 'upi', minPaise: 100, maxPaise: 200 }, '_id_'],
    ] as const
    for (const [one, index] of conditions) {
      sent.length = 0
      const filter = { merchantId: 'M1', ...one }
      await readChunk(filter, firstPosition(filter, new Date()), { wanted: 21, examine: 100 })
      // A list by rrn first reads ids, then the payments. In other lists a second command only finds the end of the chunk.
      for (const { lsid: _session, $db, ...command } of sent.slice(0, 'rrn' in one.indexed ? 2 : 1)) {
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
test('a read examines no more documents than it may, and the next one goes on behind them', async () => {
  const now = Date.now()
  const amounts = Array.from({ length: 40 }, (_, index) => (index % 8 === 0 ? 90_000 : 100))
  const made = amounts.map((amount_paise, index) => anEvent({ merchant_id: 'M7', amount_paise }, new Date(now - 60_000 - index)))
  await fixture.store(made)
  const readChunk = mongoReadChunk(fixture.connection)
  const filter = { merchantId: 'M7', indexed: {}, minPaise: 90_000 }
  const reads: Chunk[] = []
  for (let position: ListPosition | undefined = firstPosition(filter, new Date()); position;) {
    const read = await readChunk(filter, position, { wanted: 3, examine: 10 })
    reads.push(read)
    position = read.next
  }
  expect(reads.map(({ payments }) => payments.length)).toEqual([2, 1, 1, 1, 0])
  const found = reads.flatMap(({ payments }) => payments.map(({ orderId }) => orderId))
  expect(found).toEqual(made.filter((_, index) => index % 8 === 0).map(({ data }) => data.order_id))
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
