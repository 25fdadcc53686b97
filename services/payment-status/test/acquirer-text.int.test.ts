/** An acquirer that writes card numbers into its reports: none is stored, answered, published or logged, by whichever way it comes. */
import { findCards, type RefundResponse } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { eventually, type JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { sendCallback } from './messages.ts'
import { startRefundNetwork } from './refund-network.ts'

const CARD = '4111111111111111'
/** In every text that is not a plain code; the money and what it is about are clear. */
const CARELESS = { network_code: `CARD ${CARD}`, reason_code: '4111 1111 1111 1111', rrn: CARD }
const PAYER = { name: `ASHA RAO ${CARD}`, vpa: 'asha@okbank' }
const CAPABILITIES = { contract: 1, refunds: { window_days: 180, partial: true } }

const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture(undefined, log)
  merchant = await fixture.as('M1', ['read', 'refunds'])
})
afterAll(() => fixture.stop())

const counted = async (): Promise<number> => {
  const { body } = await merchant<string>('GET', '/metrics')
  return Number(/alerts_total\{kind="card_number_from_network"[^}]*\} (\d+)/u.exec(body)?.[1])
}
const search = (orderId: string) => merchant('POST', '/api/v1/order/search', { order_id: orderId })
const expectNoCard = (...shown: unknown[]) => {
  const text = JSON.stringify([...shown, ...lines])
  expect(text.length).toBeGreaterThan(500)
  expect(findCards(Buffer.from(text).toString('latin1'), 'any')).toEqual([])
}

// Proves: faults/acquirer-text-holds-no-card
test('in a callback: the payment is recorded without the texts, with one count and one line that names the fields', async () => {
  const before = await counted()
  const { data } = await fixture.open({ max_attempts: 2 })
  const tr = data.transaction_id
  const failed = { reference: 'REF-1', tr, outcome: 'failed', amount: '499.00', method: 'upi', payer: PAYER, ...CARELESS }
  expect((await sendCallback(merchant, JSON.stringify({ ...failed, reason: CARD }))).body).toEqual({ status: 'recorded' })
  expect(await fixture.document(tr)).toMatchObject({
    attempts: [{ status: 'failed', failure_code: 'unknown', network_code: null, reference: 'REF-1' }],
  })
  expect(await counted()).toBe(before + 1)
  const [line = '', ...more] = lines.filter((written) => written.includes('card number in a report of the network'))
  expect(more).toEqual([])
  expect(JSON.parse(line)).toMatchObject({ fields: ['rrn', 'reason', 'reason_code', 'network_code', 'payer'] })
  expectNoCard(await fixture.document(tr), await search(data.order_id), await fixture.events(tr))
})

// Proves: faults/acquirer-text-holds-no-card
test('in the answer to an enquiry: the order is settled', async () => {
  const payment = { reference: 'REF-2', outcome: 'success', amount: '499.00', method: 'upi', payer: PAYER, ...CARELESS }
  fixture.network.answer(({ query }) => {
    const tr = query.get('tr')
    return { status: 200, body: { tr, payments: [{ ...payment, tr }] } }
  })
  const { data } = await fixture.open({ expires_at: new Date(Date.now() + 100).toISOString() })
  await eventually(async () => expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success' }))
  expect(await fixture.document(data.transaction_id)).toMatchObject({ rrn: null, payer: null })
  expectNoCard(
    await fixture.document(data.transaction_id),
    await search(data.order_id),
    await fixture.events(data.transaction_id),
  )
})

// Proves: faults/acquirer-text-holds-no-card
test('in the answer to a refund and in the callback of one: both end', async () => {
  const network = startRefundNetwork(fixture, CAPABILITIES)
  network.answer = (_request, asked) => (asked === 1 ? { status: 'failed', ...CARELESS } : { status: 500 })
  const { data } = await fixture.open()
  const tr = data.transaction_id
  await fixture.report({ tr, rrn: '123456789012' })
  const refund = async (refundId: string) => {
    const { status, body } = await merchant<RefundResponse>('POST', '/api/v1/refunds', {
      ...{ order_id: data.order_id, refund_id: refundId, amount: '100.00' },
    })
    expect(status).toBe(201)
    return body.data.refund.id
  }
  const find = (id: string) => merchant('GET', `/api/v1/refunds/${id}`)
  const refused = await refund('RF-1')
  await eventually(async () =>
    expect((await find(refused)).body).toMatchObject({ data: { refund: { status: 'failed', rrn: null } } }),
  )

  network.answer = () => ({ status: 'pending' })
  const second = await refund('RF-2')
  const report = JSON.stringify({ refund_id: second, status: 'succeeded', amount: '100.00', ...CARELESS })
  const answer = await sendCallback(merchant, report, {}, '/network/v1/callbacks/refunds')
  expect(answer.body).toEqual({ status: 'recorded' })
  expect((await find(second)).body).toMatchObject({ data: { refund: { status: 'succeeded', rrn: null } } })
  expectNoCard(await fixture.document(tr), await find(refused), await find(second), await search(data.order_id))

  const unknown = JSON.stringify({ refund_id: `${CARD}R01`, status: 'succeeded', amount: '100.00' })
  expect((await sendCallback(merchant, unknown, {}, '/network/v1/callbacks/refunds')).body).toEqual({ status: 'quarantined' })
  expectNoCard(await fixture.sandbox.client.db(fixture.config.database).collection('quarantined_reports').find().toArray())
})
