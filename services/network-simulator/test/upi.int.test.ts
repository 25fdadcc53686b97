import { newTransactionId, type TransactionView } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { API_KEY, intentOf, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

interface Problem {
  readonly code: string
  readonly errors: readonly { field: string }[]
}
interface Enquiry {
  readonly tr: string
  readonly payments: readonly Record<string, unknown>[]
}

const pay = (intent: string, vpa: string, more: object = {}) =>
  fixture.call<{ payment_id: string; status: string }>('POST', '/sandbox/upi/pay', { intent, vpa, ...more })
const force = (intent: string, headers: Record<string, string> = { authorization: `Bearer ${API_KEY}` }) =>
  fixture.call('POST', '/sandbox/upi/pay', { intent, vpa: 'success@sandbox', force: true }, headers)
const enquire = async (tr: string) =>
  (await fixture.call<Enquiry>('GET', `/network/v1/payments?tr=${tr}`, undefined, { authorization: `Bearer ${API_KEY}` })).body
    .payments

/** Waits until all planned callbacks of a transaction are acknowledged, and returns their outcomes in order of arrival. */
const delivered = async (tr: string): Promise<unknown[]> => {
  await eventually(async () => {
    const { body } = await fixture.call<{ payments: { callbacks: { state: string }[] }[] }>('GET', `/sandbox/payments/${tr}`)
    expect(body.payments.flatMap(({ callbacks }) => callbacks).filter(({ state }) => state !== 'acknowledged')).toEqual([])
  })
  return fixture.callbacksOf(tr).map(({ report }) => report['outcome'])
}

test('success@sandbox: a signed success with the payer and a 12-digit rrn; an enquiry returns the same', async () => {
  const { tr, intent } = fixture.order()
  const answer = await pay(intent, 'success@sandbox')
  expect(answer).toMatchObject({ status: 202, body: { status: 'success' } })

  expect(await delivered(tr)).toEqual(['success'])
  const [callback] = fixture.callbacksOf(tr)
  expect(callback?.signed).toBe(true)
  expect(callback?.report).toEqual({
    reference: answer.body.payment_id,
    tr,
    outcome: 'success',
    amount: '499.00',
    rrn: expect.stringMatching(/^\d{12}$/u),
    method: 'upi',
    payer: { name: 'Asha Sandbox', vpa: 'success@sandbox' },
  })
  expect(await enquire(tr)).toEqual([callback?.report])
})

// Proves: spec/sandbox-shows-every-outcome
test.each([
  ['failure@sandbox', ['failed'], 'failed'],
  ['slow@sandbox', ['pending', 'success'], 'success'],
  ['reordered@sandbox', ['success', 'pending'], 'success'],
  ['duplicate@sandbox', ['success', 'success', 'success', 'success', 'success'], 'success'],
  ['silent@sandbox', [], 'success'],
  ['asha.rao@okbank', ['success'], 'success'],
])('%s reports %j, and an enquiry then says %s', async (vpa, reports, outcome) => {
  const { tr, intent } = fixture.order()
  expect((await pay(intent, vpa)).status).toBe(202)
  expect(await delivered(tr)).toEqual(reports)
  expect(fixture.callbacksOf(tr).every(({ signed }) => signed)).toBe(true)
  const payments = await enquire(tr)
  expect(payments).toMatchObject([{ outcome, payer: { vpa } }])
  expect(payments[0]?.['rrn']).toEqual(outcome === 'success' ? expect.stringMatching(/^\d{12}$/u) : undefined)
})

test('duplicate@sandbox is one message, three of its copies at once', async () => {
  fixture.gateway.answer(() => 'hang')
  const { tr, intent } = fixture.order()
  await pay(intent, 'duplicate@sandbox')
  // None is answered, so all that arrive are in flight at the same time.
  await eventually(() => expect(fixture.callbacksOf(tr)).toHaveLength(3))
  expect(new Set(fixture.callbacksOf(tr).map(({ messageId }) => messageId)).size).toBe(1)
  fixture.gateway.answer(() => ({ status: 200 }))
})

test('reordered@sandbox sends Pending only when Success was acknowledged', async () => {
  const { tr, intent } = fixture.order()
  fixture.gateway.answer(() => ({ status: fixture.callbacksOf(tr).length <= 2 ? 503 : 200 }))
  await pay(intent, 'reordered@sandbox')
  expect(await delivered(tr)).toEqual(['success', 'success', 'success', 'pending'])
  fixture.gateway.answer(() => ({ status: 200 }))
})

test('mismatch@sandbox captures a rupee less, twice@sandbox two references', async () => {
  const mismatch = fixture.order()
  await pay(mismatch.intent, 'mismatch@sandbox')
  expect(await delivered(mismatch.tr)).toEqual(['success'])
  expect(await enquire(mismatch.tr)).toMatchObject([{ outcome: 'success', amount: '498.00' }])

  const twice = fixture.order()
  await pay(twice.intent, 'twice@sandbox')
  expect(await delivered(twice.tr)).toEqual(['success', 'success'])
  const references = (await enquire(twice.tr)).map(({ reference }) => reference)
  expect(new Set(references).size).toBe(2)
  expect(new Set(fixture.callbacksOf(twice.tr).map(({ messageId }) => messageId)).size).toBe(2)
})

test.each([
  ['success', 'success'],
  ['failure', 'failed'],
])('pending@sandbox stays pending until it is resolved as %s', async (asked, outcome) => {
  const { tr, intent } = fixture.order()
  await pay(intent, 'pending@sandbox')
  expect(await delivered(tr)).toEqual(['pending'])
  expect(await enquire(tr)).toMatchObject([{ outcome: 'pending' }])

  expect((await fixture.call('POST', `/sandbox/payments/${tr}/resolve`, { outcome: asked })).status).toBe(202)
  expect(await delivered(tr)).toEqual(['pending', outcome])
  expect(await enquire(tr)).toMatchObject([{ outcome }])
  const again = await fixture.call('POST', `/sandbox/payments/${tr}/resolve`, { outcome: asked })
  expect(again).toMatchObject({ status: 409, body: { code: 'payment_finished' } })
})

test('late@sandbox: failed, then success with the same reference only after the order has ended', async () => {
  const { tr, intent } = fixture.order({ expires_at: new Date(Date.now() + 2000).toISOString() })
  const { body } = await pay(intent, 'late@sandbox')
  // The simulator has read the order after its end, and has seen that it is not final yet.
  const reads = () => fixture.paymentStatus.requests.filter(({ path }) => path.endsWith(tr)).length
  await eventually(() => expect(reads()).toBeGreaterThanOrEqual(3))
  expect(fixture.callbacksOf(tr)).toEqual([])
  expect(await enquire(tr)).toMatchObject([{ outcome: 'failed', reference: body.payment_id }])

  fixture.order({ id: tr, status: 'Failed', expires_at: new Date().toISOString() })
  expect(await delivered(tr)).toEqual(['success'])
  expect(await enquire(tr)).toMatchObject([{ outcome: 'success', reference: body.payment_id, rrn: expect.anything() }])
})

test('a callback that is not acknowledged is sent again, as the same message', async () => {
  const { tr, intent } = fixture.order()
  fixture.gateway.answer(() => (fixture.callbacksOf(tr).length <= 3 ? { status: 503 } : { status: 200 }))
  await pay(intent, 'success@sandbox')
  expect(await delivered(tr)).toEqual(['success', 'success', 'success', 'success'])
  expect(new Set(fixture.callbacksOf(tr).map(({ messageId }) => messageId)).size).toBe(1)
  fixture.gateway.answer(() => ({ status: 200 }))
})

test.each<[string, Partial<TransactionView>]>([
  ['finished', { status: 'Success' }],
  ['failed', { status: 'Failed' }],
  ['cancelled', { closing: 'cancelled' }],
  ['expired', { closing: 'expired' }],
  ['past its expiry', { expires_at: '2026-01-01T00:00:00.000Z' }],
])('an order that is %s is not payable, unless forced', async (_name, fields) => {
  const { tr, intent } = fixture.order(fields)
  expect(await pay(intent, 'success@sandbox')).toMatchObject({ status: 409, body: { code: 'order_not_payable' } })
  expect(await enquire(tr)).toEqual([])

  expect((await force(intent)).status).toBe(202)
  expect(await delivered(tr)).toEqual(['success'])
})

test('an unknown order is 404, unless forced', async () => {
  const tr = newTransactionId(new Date(), 0)
  const intent = intentOf(tr, '10.00')
  expect(await pay(intent, 'success@sandbox')).toMatchObject({ status: 404, body: { code: 'transaction_not_found' } })
  expect((await force(intent)).status).toBe(202)
  expect(await delivered(tr)).toEqual(['success'])
})

// Proves: sandbox/strangers-force-nothing
test.each([{}, { authorization: 'Bearer wrong' }])('only with the API key is a payment forced (%j)', async (headers) => {
  for (const intent of [fixture.order({ status: 'Success' }).intent, intentOf(newTransactionId(new Date(), 0), '10.00')]) {
    const tr = new URL(intent).searchParams.get('tr')
    expect(await force(intent, headers)).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    expect(await fixture.stored()).not.toContain(tr)
    expect(JSON.stringify(fixture.gateway.requests.map(({ body }) => body))).not.toContain(tr)
  }
})

test('the amount in the link is paid, whatever the order says', async () => {
  const { tr } = fixture.order()
  await pay(intentOf(tr, '12.34'), 'success@sandbox')
  expect(await enquire(tr)).toMatchObject([{ amount: '12.34' }])
})

test('payment-status down: a payment is 503 and nothing is stored', async () => {
  const { tr, intent } = fixture.order()
  fixture.paymentStatus.answer(() => 'reset')
  const answer = await pay(intent, 'success@sandbox')
  expect(answer).toMatchObject({ status: 503, body: { code: 'payment_status_unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('1')
  fixture.restorePaymentStatus()
  expect(await enquire(tr)).toEqual([])
})

test.each([
  [{}, ['/intent', '/vpa']],
  [{ intent: 'https://shop.example', vpa: 'success@sandbox' }, ['/intent']],
  [{ intent: 'upi://pay?pa=a@b&pn=x&mc=1&tr=T1&am=1e3', vpa: 'success@sandbox' }, ['/intent']],
  [{ intent: 'upi://pay?pa=a@b&pn=x&mc=1&tr=T1&am=0', vpa: 'success@sandbox' }, ['/intent']],
  [{ intent: 'upi://pay?pa=a@b&pn=x&mc=1&tr=lower&am=1', vpa: 'success@sandbox' }, ['/intent']],
  [{ intent: { $gt: '' }, vpa: { $gt: '' } }, ['/intent', '/vpa']],
  [{ intent: intentOf('T1', '1.00'), vpa: 'success' }, ['/vpa']],
  [{ intent: intentOf('T1', '1.00'), vpa: 'success@sandbox', force: 'yes' }, ['/force']],
  [{ intent: intentOf('T1', '1.00'), vpa: 'success@sandbox', other: 1 }, ['/other']],
])('%j names its bad fields', async (body, fields) => {
  const answer = await fixture.call<Problem>('POST', '/sandbox/upi/pay', body)
  expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  expect(answer.body.errors.map(({ field }) => field)).toEqual(fields)
})

test('a transaction without payments cannot be resolved', async () => {
  const answer = await fixture.call('POST', '/sandbox/payments/NOBODY/resolve', { outcome: 'success' })
  expect(answer).toMatchObject({ status: 404, body: { code: 'payment_not_found' } })
})
