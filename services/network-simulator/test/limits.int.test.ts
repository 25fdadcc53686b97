import { newTransactionId } from '@gateway/contracts'
import { API_KEY, intentOf, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture({}, { pagesPerSecond: 1 })
})
afterAll(() => fixture.stop())

const MANY = 60
let addresses = 0
const newAddress = () => `203.0.113.${(addresses += 1)}`
const from = (address: string) => ({ 'x-forwarded-for': address })
const unknown = () => ({ intent: intentOf(newTransactionId(new Date(), 0), '10.00'), vpa: 'success@sandbox' })

// Proves: sandbox/strangers-are-limited
test.each([
  ['POST', '/sandbox/upi/pay', unknown],
  ['GET', '/sandbox/upi', undefined],
  ['GET', '/sandbox/upi/payments/NOBODY', undefined],
  ['GET', '/bank/nobody', undefined],
  ['POST', '/sandbox/payments/NOBODY/resolve', () => ({ outcome: 'success' })],
  ['GET', '/sandbox/downtimes', undefined],
] as const)('%s %s is limited by address', async (method, path, body) => {
  const [flooder, other] = [newAddress(), newAddress()]
  const statusFrom = async (address: string) => (await fixture.call(method, path, body?.(), from(address))).status
  const statuses = await Promise.all(Array.from({ length: MANY }, () => statusFrom(flooder)))
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(MANY / 2)
  expect(await statusFrom(other)).not.toBe(429)
})

test('the network of the gateway is not limited', async () => {
  const authorization = { authorization: `Bearer ${API_KEY}`, ...from(newAddress()) }
  const enquiries = Array.from({ length: MANY }, () =>
    fixture.call('GET', '/network/v1/payments?tr=NOBODY', undefined, authorization),
  )
  expect(new Set((await Promise.all(enquiries)).map(({ status }) => status))).toEqual(new Set([200]))
})
