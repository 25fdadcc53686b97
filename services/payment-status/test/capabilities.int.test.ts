/** What the connector says about itself and its answers decides when payment-status asks, and what an answer proves. */
import type { DowntimesResponse, SearchOrderResponse } from '@gateway/contracts'
import { eventually, startJsonServer, type JsonClient, type JsonReply, type JsonServer } from '@gateway/testkit'
import { silentLog } from '@gateway/service-kit'
import { startFixture, TIMING, type Fixture } from './fixture.ts'

const FIRST_AFTER_MS = 1200

let network: JsonServer
let fixture: Fixture
let merchant: JsonClient
let downtimes: JsonReply = { status: 503 }
/** When the network was asked, as its answers say. */
let asOf: () => Date = () => new Date()

beforeAll(async () => {
  network = await startJsonServer(({ path, query }): JsonReply => {
    if (path === '/network/v1/capabilities')
      return { status: 200, body: { contract: 1, downtimes: true, enquiry: { first_after_ms: FIRST_AFTER_MS, max: 3 } } }
    if (path === '/network/v1/downtimes') return downtimes
    return { status: 200, body: { tr: query.get('tr'), payments: [], as_of: asOf().toISOString() } }
  })
  // Giving up ends an order as well; however slow the machine is, no test here waits so long.
  const timing = { ...TIMING, enquiryGiveUpMs: 600_000 }
  fixture = await startFixture(undefined, silentLog, { networkUrl: network.url, timing })
  merchant = await fixture.as('M1')
  await eventually(() => expect(network.requests.map(({ path }) => path)).toContain('/network/v1/capabilities'))
})
afterAll(async () => {
  await fixture.stop()
  await network.stop()
})

const stateOf = async (orderId: string) =>
  (await merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: orderId })).body.data.transaction
const enquiriesAbout = (tr: string) => network.requests.filter(({ query }) => query.get('tr') === tr).length

// Proves: connector/enquiry-schedule-follows-capabilities
test('a UPI order is asked about no sooner than the connector permits', async () => {
  asOf = () => new Date()
  const { data } = await fixture.open({ methods: ['upi'] })
  const cancelledAt = performance.now()
  expect((await fixture.internal('POST', `/internal/v1/transactions/${data.transaction_id}/cancel`)).status).toBe(200)
  await eventually(async () => expect((await stateOf(data.order_id)).status).toBe('Failed'), { deadlineMs: 20_000 })
  expect(performance.now() - cancelledAt).toBeGreaterThanOrEqual(FIRST_AFTER_MS)
  expect(enquiriesAbout(data.transaction_id)).toBe(1)
})

// Proves: connector/old-failed-proves-nothing
test('an answer that is older than the end of the order and the grace ends nothing; a newer one does', async () => {
  const beforeAll = new Date()
  asOf = () => beforeAll
  const { data } = await fixture.open({ methods: ['card'] })
  await fixture.internal('POST', `/internal/v1/transactions/${data.transaction_id}/cancel`)
  // Past the grace of 500 ms: at least one of these answers came after it.
  await eventually(() => expect(enquiriesAbout(data.transaction_id)).toBeGreaterThanOrEqual(6), { deadlineMs: 20_000 })
  expect((await stateOf(data.order_id)).status).toBe('Initiate')
  asOf = () => new Date()
  await eventually(
    async () => expect(await stateOf(data.order_id)).toMatchObject({ status: 'Failed', failure_reason: 'cancelled' }),
    {
      deadlineMs: 20_000,
    },
  )
})

// Proves: api/downtimes
test("merchants see what is down or announced, in the API's form; a network that is away is 503", async () => {
  const read = (client = merchant) => client<DowntimesResponse>('GET', '/api/v1/downtimes')
  expect(await read()).toMatchObject({ status: 503, body: { code: 'network_unavailable' } })
  const upi = { method: 'upi', severity: 'high', began_at: '2026-01-01T00:00:00Z' }
  const announced = {
    method: 'netbanking',
    instrument: 'HDFC',
    severity: 'medium',
    began_at: '2035-01-01T00:00:00Z',
    ended_at: '2035-01-02T00:00:00Z',
  }
  downtimes = { status: 200, body: [{ ...upi, cause: 'internal' }, announced, { ...upi, ended_at: '2026-01-02T00:00:00Z' }] }
  const answer = await read()
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.body).toEqual({ data: { downtimes: [{ ...upi, instrument: null, ended_at: null }, announced] } })
  const before = network.requests.length
  await Promise.all([read(), read(), read()])
  expect(network.requests.slice(before).filter(({ path }) => path === '/network/v1/downtimes')).toEqual([])
  expect(await read(await fixture.as('M1', ['orders']))).toMatchObject({ status: 403, body: { code: 'scope_missing' } })
})
