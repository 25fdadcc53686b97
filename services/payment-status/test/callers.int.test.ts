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
test('the status changes of all merchants are for the dispatcher', async () => {
  const admitted: string[] = []
  for (const service of SERVICE_NAMES) {
    const { status } = await fixture.internalAs(service)('GET', '/internal/v1/transitions?limit=1')
    if (status === 200) admitted.push(service)
  }
  expect(admitted).toEqual(['webhook-dispatcher'])
})

// Proves: api/internal-tokens-are-for-one-service
test("a merchant's internal token of another service is refused", async () => {
  const { data } = await fixture.open()
  const search = async (audience: 'order-api' | 'payment-status') =>
    (await (await fixture.as('M1', audience))('POST', '/api/v1/order/search', { order_id: data.order_id })).status
  expect([await search('order-api'), await search('payment-status')]).toEqual([401, 200])
})
