import type { CreateOrderResponse, TransactionIds } from '@gateway/contracts'
import { anOrder } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.stop())

const path = '/internal/v1/orders/transaction-ids'
const idsBetween = (since: Date, until: Date, limit = 1000) =>
  fixture.internal<TransactionIds>('GET', `${path}?since=${since.toISOString()}&until=${until.toISOString()}&limit=${limit}`)

// Proves: faults/order-without-a-transaction-is-found
test('the transaction ids of the orders of a time, at most as many as asked for', async () => {
  const merchant = await fixture.as('M1')
  const since = new Date()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) {
    const { body } = await merchant<CreateOrderResponse>('POST', '/api/v1/orders/create', anOrder())
    ids.push(body.data.transaction.id)
  }
  const until = new Date(Date.now() + 1)
  const { status, body } = await idsBetween(since, until)
  expect(status).toBe(200)
  expect(body.transaction_ids.toSorted()).toEqual(ids.toSorted())
  expect((await idsBetween(since, until, 2)).body.transaction_ids).toHaveLength(2)
  expect((await idsBetween(until, new Date(until.getTime() + 1000))).body.transaction_ids).toEqual([])
})

test.each(['', '?since=yesterday&until=today&limit=1', `?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&limit=10001`])(
  'a query that says no time or asks for too many is refused: %j',
  async (query) => {
    expect(await fixture.internal('GET', `${path}${query}`)).toMatchObject({ status: 422 })
  },
)
