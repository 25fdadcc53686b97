import { capabilities, formatRefundId, newTransactionId, type RefundReport } from '@gateway/contracts'
import { eventually, type JsonAnswer } from '@gateway/testkit'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const authorization = { authorization: `Bearer ${API_KEY}` }

interface Captured {
  readonly tr: string
  readonly reference: string
}

/** A UPI payment of 499 rupees by this VPA. */
async function pay(vpa: string): Promise<Captured> {
  const { tr, intent } = fixture.order()
  const { status, body } = await fixture.call<{ payment_id: string }>('POST', '/sandbox/upi/pay', { intent, vpa })
  expect(status).toBe(202)
  return { tr, reference: body.payment_id }
}

/** A payment of 499 rupees at the bank whose payments succeed without a page. */
async function payAtBank(): Promise<Captured> {
  const tr = newTransactionId(new Date(), 0)
  const key = `attempt-${tr}`
  const { body } = await fixture.call<{ reference: string }>(
    'POST',
    '/network/v1/payments',
    {
      attempt_id: key,
      tr,
      method: 'netbanking',
      amount: '499.00',
      currency: 'INR',
      description: 'Blue shirt',
      return_url: 'https://pay.example/checkout/x',
      netbanking: { bank: 'PASS' },
    },
    { ...authorization, 'idempotency-key': key },
  )
  return { tr, reference: body.reference }
}

type Answer = JsonAnswer<RefundReport & { code?: string }>
function request({ tr, reference }: Captured, n: number, fields: object = {}, key?: string): Promise<Answer> {
  const refundId = formatRefundId(tr, n)
  const body = { refund_id: refundId, reference, tr, amount: '200.00', currency: 'INR', reason: 'other', ...fields }
  return fixture.call('POST', '/network/v1/refunds', body, { ...authorization, 'idempotency-key': key ?? refundId })
}
const enquire = async (refundId: string) =>
  (await fixture.call<{ refunds: RefundReport[] }>('GET', `/network/v1/refunds?refund_id=${refundId}`, undefined, authorization))
    .body.refunds
const reportsOf = ({ tr }: Captured, n = 1) => fixture.refundCallbacksOf(formatRefundId(tr, n))
const statusesOf = (payment: Captured, n = 1) => reportsOf(payment, n).map(({ report }) => report['status'])
const resolve = (refundId: string, outcome: string) =>
  fixture.call<RefundReport & { code?: string }>('POST', `/sandbox/refunds/${refundId}/resolve`, { outcome })

// Proves: connector/simulator-capabilities
test('capabilities are those of the simulator, and need the API key', async () => {
  const { status, body } = await fixture.call('GET', '/network/v1/capabilities', undefined, authorization)
  expect([status, capabilities(body)]).toEqual([200, true])
  const all = { refunds: { window_days: 180, partial: true }, intents: true, upi_collect: true, downtimes: true }
  expect(body).toMatchObject(all)
  expect((await fixture.call('GET', '/network/v1/capabilities')).status).toBe(401)
})

test('a refund is made once, also when it is asked concurrently; other fields under its id are a conflict', async () => {
  const payment = await pay('success@sandbox')
  const answers = await Promise.all([1, 2, 3].map(() => request(payment, 1)))
  answers.push(await request(payment, 1))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(answers[0]?.body).toEqual({
    refund_id: formatRefundId(payment.tr, 1),
    status: 'succeeded',
    amount: '200.00',
    rrn: expect.stringMatching(/^\d{12}$/u),
  })
  expect(await enquire(formatRefundId(payment.tr, 1))).toEqual([answers[0]?.body])
  await eventually(() => expect(reportsOf(payment)).toMatchObject([{ signed: true, report: answers[0]?.body ?? {} }]))
  const conflict = { status: 409, body: { code: 'idempotency_conflict' } }
  expect(await request(payment, 1, { amount: '201.00' })).toMatchObject(conflict)
  expect(await request(payment, 1, { reason: 'returned' })).toMatchObject(conflict)
})

test('parallel refunds are never more than the capture, and a refused id stays refused', async () => {
  const payment = await pay('success@sandbox')
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => request(payment, index + 1, { amount: '100.00' })))
  expect(answers.filter(({ body }) => body.status === 'succeeded')).toHaveLength(4)
  const refused = answers.filter(({ body }) => body.status === 'failed')
  expect(refused).toHaveLength(8)
  const [{ body } = { body: undefined }] = refused
  expect(body).toMatchObject({ reason_code: 'limit_exceeded', network_code: 'EXCEEDS_CAPTURE' })
  expect(await enquire(body?.refund_id ?? '')).toEqual([body])
})

test.each<[what: string, status: number, code: string, fields: object, key: string | undefined]>([
  ['an unknown reference', 404, 'payment_not_found', { reference: 'SIMNONE' }, undefined],
  ['an amount of nothing', 422, 'validation_failed', { amount: '0.00' }, undefined],
  ['an amount that is a number', 422, 'validation_failed', { amount: 200 }, undefined],
  ['an unknown reason', 422, 'validation_failed', { reason: 'changed my mind' }, undefined],
  ['the id of another transaction', 422, 'validation_failed', { refund_id: 'T1R01' }, 'T1R01'],
  ['another idempotency key', 422, 'validation_failed', {}, 'RF-1'],
])('%s is %d %s', async (_what, status, code, fields, key) => {
  expect(await request(await pay('success@sandbox'), 1, fields, key)).toMatchObject({ status, body: { code } })
})

test('an id belongs to one capture of a transaction', async () => {
  const payment = await pay('twice@sandbox')
  const { body } = await fixture.call<{ payments: { reference: string }[] }>('GET', `/sandbox/payments/${payment.tr}`)
  const other = body.payments.find(({ reference }) => reference !== payment.reference)?.reference ?? ''
  expect((await request(payment, 1)).status).toBe(200)
  expect(await request({ ...payment, reference: other }, 1)).toMatchObject({ status: 409 })
  expect(await request({ ...payment, reference: other }, 2)).toMatchObject({ status: 200, body: { status: 'succeeded' } })
})

test('an enquiry about an unknown refund is empty', async () => {
  expect(await enquire('T1R01')).toEqual([])
  expect((await fixture.call('GET', '/network/v1/refunds?refund_id=x', undefined, authorization)).status).toBe(422)
  expect((await fixture.call('GET', '/network/v1/refunds?refund_id=T1R01')).status).toBe(401)
})

test('slow-refund: pending, then succeeded and reported', async () => {
  const payment = await pay('success.slow-refund@sandbox')
  expect((await request(payment, 1)).body).toMatchObject({ status: 'pending', pending_reason: 'processing' })
  await eventually(() => expect(statusesOf(payment)).toEqual(['succeeded']))
  expect(await enquire(formatRefundId(payment.tr, 1))).toMatchObject([{ status: 'succeeded' }])
})

test.each([
  ['pending-refund', 'processing', 'success', 'succeeded'],
  ['insufficient-refund', 'insufficient_funds', 'failure', 'failed'],
])('%s: pending as %s until a tester decides %s', async (modifier, reason, outcome, status) => {
  const payment = await pay(`success.${modifier}@sandbox`)
  const id = formatRefundId(payment.tr, 1)
  expect(await resolve(id, outcome)).toMatchObject({ status: 404, body: { code: 'refund_not_found' } })
  expect((await request(payment, 1)).body).toMatchObject({ status: 'pending', pending_reason: reason })
  expect(await resolve(id, outcome)).toMatchObject({ status: 202, body: { status } })
  expect(await resolve(id, outcome)).toMatchObject({ status: 409, body: { code: 'payment_finished' } })
  await eventually(() => expect(statusesOf(payment)).toEqual([status]))
})

test('refused-refund: failed with a reason, and its money can be refunded again', async () => {
  const payment = await pay('success.refused-refund@sandbox')
  const refused = { status: 'failed', reason_code: 'instrument_blocked', network_code: 'ACCOUNT_CLOSED' }
  expect((await request(payment, 1, { amount: '499.00' })).body).toMatchObject(refused)
  expect((await request(payment, 2, { amount: '499.00' })).body).toMatchObject(refused)
})

test('lost-refund: made, but the first answer and the report never arrive', async () => {
  const payment = await pay('success.lost-refund@sandbox')
  await expect(request(payment, 1)).rejects.toThrow()
  expect((await request(payment, 1)).body).toMatchObject({ status: 'succeeded' })
  expect(reportsOf(payment)).toEqual([])
})

test('silent-refund is never reported, duplicate-refund five times with one id', async () => {
  const silent = await pay('success.silent-refund@sandbox')
  const duplicate = await pay('success.duplicate-refund@sandbox')
  expect((await request(silent, 1)).body).toMatchObject({ status: 'pending' })
  await request(duplicate, 1)
  await eventually(async () => expect(await enquire(formatRefundId(silent.tr, 1))).toMatchObject([{ status: 'succeeded' }]))
  await eventually(() => expect(statusesOf(duplicate)).toHaveLength(5))
  expect(new Set(reportsOf(duplicate).map(({ messageId }) => messageId)).size).toBe(1)
  expect(reportsOf(silent)).toEqual([])
})

test('returned-refund: succeeded, then sent back by the bank', async () => {
  const payment = await pay('success.returned-refund@sandbox')
  expect((await request(payment, 1, { amount: '499.00' })).body).toMatchObject({ status: 'succeeded' })
  await eventually(() => expect(statusesOf(payment)).toEqual(['succeeded', 'returned']))
  const { body } = await fixture.call<{ payments: object[] }>('GET', `/sandbox/payments/${payment.tr}`)
  expect(body.payments).toMatchObject([{ refunds: [{ status: 'returned' }] }])
  expect((await request(payment, 2, { amount: '499.00' })).body).toMatchObject({ status: 'succeeded' })
})

test('a bank: the paise of the refund choose', async () => {
  const payment = await payAtBank()
  expect((await request(payment, 1, { amount: '1.91' })).body).toMatchObject({ status: 'pending', pending_reason: 'processing' })
  expect((await request(payment, 2, { amount: '1.92' })).body).toMatchObject({ status: 'failed' })
  await expect(request(payment, 3, { amount: '1.93' })).rejects.toThrow()
  expect(await enquire(formatRefundId(payment.tr, 3))).toMatchObject([{ status: 'succeeded', amount: '1.93' }])
  expect((await request(payment, 4, { amount: '495.17' })).body).toMatchObject({ network_code: 'EXCEEDS_CAPTURE' })
  expect((await request(payment, 5, { amount: '495.16' })).body).toMatchObject({ status: 'succeeded' })
})
