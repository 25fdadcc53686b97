import type { SimulateResponse, TransactionView } from '@gateway/contracts'
import { eventually, type JsonAnswer } from '@gateway/testkit'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

interface Problem {
  readonly code: string
  readonly errors?: readonly { readonly field: string }[]
}

async function simulate(body: object, merchantId = 'M1'): Promise<JsonAnswer<SimulateResponse & Problem>> {
  return fixture.call('POST', '/api/v1/sandbox/simulate', body, await fixture.tokens.authorizationFor({ merchantId }))
}
const enquire = (tr: string) =>
  fixture.call<{ payments: Record<string, unknown>[] }>('GET', `/network/v1/payments?tr=${tr}`, undefined, {
    authorization: `Bearer ${API_KEY}`,
  })
const outcomesOf = (tr: string) => fixture.callbacksOf(tr).map(({ report }) => report['outcome'])

/** Waits until all planned callbacks of a transaction are acknowledged, and returns their outcomes in order of arrival. */
const delivered = async (tr: string): Promise<unknown[]> => {
  await eventually(async () => {
    const { body } = await fixture.call<{ payments: { callbacks: { state: string }[] }[] }>('GET', `/sandbox/payments/${tr}`)
    expect(body.payments.flatMap(({ callbacks }) => callbacks).filter(({ state }) => state !== 'acknowledged')).toEqual([])
  })
  return outcomesOf(tr)
}

test('success: 202 with the reference of the payment, one signed callback, the same to an enquiry', async () => {
  const { tr, orderId } = fixture.order()
  const { status, body } = await simulate({ order_id: orderId, outcome: 'success' })
  expect(status).toBe(202)
  expect(body).toEqual({ data: { payment_id: expect.any(String), order_id: orderId, outcome: 'success' } })
  expect(await delivered(tr)).toEqual(['success'])
  const [callback] = fixture.callbacksOf(tr)
  expect(callback).toMatchObject({
    signed: true,
    report: { reference: body.data.payment_id, amount: '499.00', method: 'upi', rrn: expect.stringMatching(/^\d{12}$/u) },
  })
  expect((await enquire(tr)).body.payments).toEqual([callback?.report])
})

test.each([
  [{ outcome: 'failure' }, ['failed'], 'failed'],
  [{ outcome: 'pending' }, ['pending'], 'pending'],
  [{ outcome: 'success', delay_ms: 50 }, ['pending', 'success'], 'success'],
  [{ outcome: 'success', duplicates: 2 }, ['success', 'success', 'success'], 'success'],
  [{ outcome: 'failure', duplicates: 1, reorder: true }, expect.arrayContaining(['failed', 'failed', 'pending']), 'failed'],
  [{ outcome: 'success', reorder: true }, ['success', 'pending'], 'success'],
])('%j reports %j, and an enquiry then says %s', async (wish, reports, outcome) => {
  const { tr, orderId } = fixture.order()
  expect((await simulate({ order_id: orderId, ...wish })).status).toBe(202)
  expect(await delivered(tr)).toEqual(reports)
  expect((await enquire(tr)).body.payments).toMatchObject([{ outcome }])
})

test('amount_mismatch captures one rupee less', async () => {
  const { tr, orderId } = fixture.order()
  await simulate({ order_id: orderId, outcome: 'amount_mismatch' })
  expect(await delivered(tr)).toEqual(['success'])
  expect((await enquire(tr)).body.payments).toMatchObject([{ outcome: 'success', amount: '498.00' }])
})

test('late_success: an enquiry returns failed, then success once the order has ended', async () => {
  const { tr, orderId } = fixture.order({ expires_at: new Date(Date.now() + 2000).toISOString() })
  await simulate({ order_id: orderId, outcome: 'late_success' })
  expect((await enquire(tr)).body.payments).toMatchObject([{ outcome: 'failed' }])
  fixture.order({ id: tr, status: 'Failed' })
  await eventually(() => expect(outcomesOf(tr)).toEqual(['success']))
  expect((await enquire(tr)).body.payments).toMatchObject([{ outcome: 'success' }])
})

test('expire: no payment, no report, and an enquiry returns nothing', async () => {
  const { tr, orderId } = fixture.order()
  const { status, body } = await simulate({ order_id: orderId, outcome: 'expire', duplicates: 3 })
  expect([status, body]).toEqual([202, { data: { payment_id: null, order_id: orderId, outcome: 'expire' } }])
  expect((await enquire(tr)).body.payments).toEqual([])
  expect(outcomesOf(tr)).toEqual([])
})

test('network_timeout: no callback, two enquiries get 504, the third returns the success; sandbox reads do not count', async () => {
  const { tr, orderId } = fixture.order()
  await simulate({ order_id: orderId, outcome: 'network_timeout' })
  expect((await fixture.call('GET', `/sandbox/payments/${tr}`)).body).toMatchObject({ payments: [{ outcome: 'success' }] })
  expect(await enquire(tr)).toMatchObject({ status: 504, body: { code: 'upstream_timeout' } })
  expect((await enquire(tr)).status).toBe(504)
  expect(await enquire(tr)).toMatchObject({ status: 200, body: { payments: [{ outcome: 'success', amount: '499.00' }] } })
  expect(outcomesOf(tr)).toEqual([])
})

test.each<[TransactionView['methods'], string | undefined, string, object | undefined]>([
  [['upi', 'card', 'netbanking'], 'debit_card', 'debit_card', undefined],
  [['card', 'netbanking'], undefined, 'credit_card', undefined],
  [['netbanking'], undefined, 'netbanking', undefined],
  [['card', 'upi'], undefined, 'upi', { name: 'Asha Sandbox', vpa: 'simulated@sandbox' }],
])('an order that takes %j, with method %s requested, is paid by %s', async (methods, method, paidBy, payer) => {
  const { tr, orderId } = fixture.order({ methods })
  await simulate({ order_id: orderId, outcome: 'success', method })
  const [payment] = (await enquire(tr)).body.payments
  expect([payment?.['method'], payment?.['payer']]).toEqual([paidBy, payer])
})

test('a method that the order does not take is refused, and no payment is made', async () => {
  const { tr, orderId } = fixture.order({ methods: ['upi'] })
  expect(await simulate({ order_id: orderId, outcome: 'success', method: 'credit_card' })).toMatchObject({
    status: 422,
    body: { errors: [{ field: '/method' }] },
  })
  expect((await enquire(tr)).body.payments).toEqual([])
})

test("another merchant's order is 404, as is an order that does not exist", async () => {
  const { tr, orderId } = fixture.order()
  expect(await simulate({ order_id: orderId, outcome: 'success' }, 'M2')).toMatchObject({
    status: 404,
    body: { code: 'order_not_found' },
  })
  expect(await simulate({ order_id: 'ORD-NONE', outcome: 'success' })).toMatchObject({ status: 404 })
  expect((await enquire(tr)).body.payments).toEqual([])
})

test.each<[string, Partial<TransactionView>]>([
  ['is paid', { status: 'Success' }],
  ['has failed', { status: 'Failed' }],
  ['was cancelled', { status: 'Pending', closing: 'cancelled' }],
  ['has expired', { expires_at: new Date(Date.now() - 1000).toISOString() }],
])('an order that %s is not payable', async (_what, fields) => {
  const { orderId } = fixture.order(fields)
  expect(await simulate({ order_id: orderId, outcome: 'success' })).toMatchObject({
    status: 409,
    body: { code: 'order_not_payable' },
  })
})

test.each([
  ['/outcome', { outcome: 'paid' }],
  ['/outcome', { outcome: undefined }],
  ['/method', { method: 'card' }],
  ['/delay_ms', { delay_ms: 60_001 }],
  ['/delay_ms', { delay_ms: -1 }],
  ['/duplicates', { duplicates: 11 }],
  ['/duplicates', { duplicates: 1.5 }],
  ['/reorder', { reorder: 'yes' }],
  ['/order_id', { order_id: { $gt: '' } }],
  ['/amount', { amount: '1.00' }],
])('%s of %j is refused', async (field, fields) => {
  const { orderId } = fixture.order()
  expect(await simulate({ order_id: orderId, outcome: 'success', ...fields })).toMatchObject({
    status: 422,
    body: { errors: [{ field }] },
  })
})

test('only a token of a merchant of this environment is accepted', async () => {
  const { orderId } = fixture.order()
  const ask = (headers: Record<string, string>) =>
    fixture.call('POST', '/api/v1/sandbox/simulate', { order_id: orderId, outcome: 'success' }, headers)
  expect(await ask({})).toMatchObject({ status: 401, body: { code: 'token_missing' } })
  expect(await ask({ authorization: `Bearer ${API_KEY}` })).toMatchObject({ status: 401, body: { code: 'token_invalid' } })
  const elsewhere = await fixture.tokens.authorizationFor({ merchantId: 'M1', environment: 'production' })
  expect(await ask(elsewhere)).toMatchObject({ status: 401, body: { code: 'token_invalid' } })
})

test('payment-status down: 503, and no payment is made', async () => {
  const { tr, orderId } = fixture.order()
  fixture.paymentStatus.answer(() => ({ status: 503 }))
  const answer = await simulate({ order_id: orderId, outcome: 'success' })
  fixture.restorePaymentStatus()
  expect(answer).toMatchObject({ status: 503, body: { code: 'payment_status_unavailable' } })
  expect((await enquire(tr)).body.payments).toEqual([])
})
