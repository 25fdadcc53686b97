/** Which services may call which internal routes. */
import { SERVICE_NAMES } from '@gateway/contracts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

// Proves: api/internal-routes-know-their-callers
test.each([
  ['GET', '', ['checkout', 'network-simulator']],
  ['POST', '/attempts', ['checkout']],
  ['POST', '/attempts/attempt-0001/abandon', ['checkout']],
  ['POST', '/cancel', ['checkout']],
])('%s …/transactions/:id%s is for %j', async (method, path, allowed) => {
  const { data } = await fixture.open()
  const admitted: string[] = []
  for (const service of SERVICE_NAMES) {
    const { status } = await fixture.internalAs(service)(
      method,
      `/internal/v1/transactions/${data.transaction_id}${path}`,
      method === 'GET' ? undefined : {},
    )
    if (status !== 401) admitted.push(service)
  }
  expect(admitted).toEqual(allowed)
})

// Proves: api/internal-routes-know-their-callers
test.each([
  ['GET', '/transitions?limit=1', 'webhook-dispatcher'],
  ['GET', '/payments?limit=1', 'ledger'],
  ['GET', '/timelines/M1/ORD-1', 'ledger'],
])('%s …%s, which tells of all merchants, is only for %s', async (method, path, allowed) => {
  const admitted: string[] = []
  for (const service of SERVICE_NAMES) {
    const body = method === 'GET' ? undefined : {}
    const { status } = await fixture.internalAs(service)(method, `/internal/v1${path}`, body)
    if (status !== 401) admitted.push(service)
  }
  expect(admitted).toEqual([allowed])
})

// Proves: api/internal-tokens-are-for-one-service
test("a merchant's internal token of another service is refused", async () => {
  const { data } = await fixture.open()
  const search = async (audience: 'order-api' | 'payment-status') =>
    (await (await fixture.as('M1', undefined, audience))('POST', '/api/v1/order/search', { order_id: data.order_id })).status
  expect([await search('order-api'), await search('payment-status')]).toEqual([401, 200])
})
