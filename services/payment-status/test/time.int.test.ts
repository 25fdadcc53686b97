import type { NetworkReport, SearchOrderResponse } from '@gateway/contracts'
import { eventually, type JsonClient, type JsonReply } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const search = async (orderId: string) =>
  (await merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: orderId })).body.data.transaction
const openExpiring = () => fixture.open({ expires_at: new Date(Date.now() + 300).toISOString() })
const enquiries = (tr: string) =>
  fixture.network.requests.filter(({ method, query }) => method === 'GET' && query.get('tr') === tr).length
const ends = (orderId: string, fields: object) =>
  eventually(async () => expect(await search(orderId)).toMatchObject(fields), { deadlineMs: 30_000 })

/** Sets the network's answer to enquiries; reversals succeed. */
function networkAnswers(enquiry: (tr: string) => JsonReply): void {
  fixture.network.answer(({ method, query, body }) =>
    method === 'GET'
      ? enquiry(query.get('tr') ?? '')
      : { status: 200, body: { reference: (body as { reference: string }).reference, status: 'succeeded', reason: null } },
  )
}
const payments = (...found: Partial<NetworkReport>[]) =>
  networkAnswers((tr) => ({
    status: 200,
    body: {
      tr,
      payments: found.map((fields) => ({
        reference: `R-${tr}`,
        tr,
        outcome: 'success',
        amount: '499.00',
        method: 'upi',
        ...fields,
      })),
    },
  }))

// Proves: spec/failed-declined-or-expired, state/not-found-permits-failed-after-grace
test('expired and not found: Failed after the grace, and never before', async () => {
  payments()
  const { data } = await openExpiring()
  await ends(data.order_id, { status: 'Failed', failure_reason: 'expired', sequence: 2 })
  const { updated_at: endedAt } = await search(data.order_id)
  expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(data.expires_at) + fixture.config.timing.enquiryGraceMs)
})

// Proves: state/enquiry-after-the-end
test('expired, but the network has the money: Success by enquiry alone', async () => {
  payments({ rrn: '111122223333' })
  const { data } = await openExpiring()
  await ends(data.order_id, { status: 'Success', rrn: '111122223333' })
})

// Proves: state/unclear-answer-keeps-status, state/give-up-is-unconfirmed
test.each<[string, JsonReply]>([
  ['500', { status: 500 }],
  ['an HTML body', { status: 200, body: '<html>' }],
  ['another transaction', { status: 200, body: { tr: 'OTHER', payments: [] } }],
  ['a 404 of a proxy', { status: 404 }],
  ['a reset connection', 'reset'],
])('%s is unclear: the status is kept until giving up, then unconfirmed', async (_name, reply) => {
  networkAnswers(() => reply)
  const { data } = await openExpiring()
  await eventually(() => expect(enquiries(data.transaction_id)).toBeGreaterThanOrEqual(3))
  const { status, updated_at: seenAt } = await search(data.order_id)
  if (Date.parse(seenAt) < Date.parse(data.expires_at) + fixture.config.timing.enquiryGiveUpMs) expect(status).toBe('Initiate')
  await ends(data.order_id, { status: 'Failed', failure_reason: 'unconfirmed' })
})

// Proves: state/reverse-is-repeated-until-answered, api/search-shows-every-bank-number
test('a success after the end keeps Failed, and the money is reversed, with one idempotency key for all requests', async () => {
  let refusals = 3
  fixture.network.answer(({ method, query, body }) => {
    if (method === 'GET') return { status: 200, body: { tr: query.get('tr'), payments: [] } }
    if (refusals-- > 0) return refusals === 1 ? 'reset' : { status: 500 }
    const { reference } = body as { reference: string }
    return { status: 200, body: { reference, status: 'succeeded', reason: null, rrn: '998877665544' } }
  })
  const { data } = await openExpiring()
  await ends(data.order_id, { status: 'Failed' })
  await fixture.report({ tr: data.transaction_id, reference: 'LATE-1', rrn: '412345678901' })
  await ends(data.order_id, {
    status: 'Failed',
    failure_reason: 'expired',
    sequence: 2,
    attempts: [{ reference: 'LATE-1', status: 'reversed', rrn: '412345678901' }],
    reversals: [{ reference: 'LATE-1', amount: '499.00', reason: 'late', status: 'succeeded', rrn: '998877665544' }],
  })
  const key = `rev-${data.transaction_id}-LATE-1`
  const asked = fixture.network.requests.filter(
    ({ path, headers }) => path.endsWith('/reversals') && headers['idempotency-key'] === key,
  )
  expect(asked).toHaveLength(4)
  expect(asked[0]?.headers['authorization']).toBe(`Bearer ${fixture.config.networkApiKey}`)
})

// Proves: state/enquiry-repeats-after-final-status
test('a second payment whose callback was lost is found after the end, and reversed', async () => {
  payments({}, { reference: 'SECOND' })
  const { data } = await fixture.open()
  await fixture.report({ tr: data.transaction_id, reference: `R-${data.transaction_id}` })
  await ends(data.order_id, { status: 'Success', reversals: [{ reference: 'SECOND', reason: 'duplicate', status: 'succeeded' }] })
})

// Proves: state/refused-reversal-goes-to-operator
test('a refused reversal is shown as failed', async () => {
  fixture.network.answer(({ method, query, body }) =>
    method === 'GET'
      ? { status: 200, body: { tr: query.get('tr'), payments: [] } }
      : {
          status: 200,
          body: { reference: (body as { reference: string }).reference, status: 'failed', reason: 'account closed' },
        },
  )
  const { data } = await fixture.open()
  await fixture.report({ tr: data.transaction_id, amount: '1.00' })
  await ends(data.order_id, { status: 'Failed', reversals: [{ status: 'failed', reason: 'amount_mismatch' }] })
})

test('a pending payment is enquired before the order expires', async () => {
  payments({ reference: 'SLOW', rrn: '999988887777' })
  const { data } = await fixture.open()
  await fixture.report({ tr: data.transaction_id, reference: 'SLOW', outcome: 'pending' })
  await ends(data.order_id, { status: 'Success', rrn: '999988887777', sequence: 3 })
})
