import { newTransactionId, reversalKey } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

interface Started {
  readonly reference: string
  readonly status: string
  readonly redirect_url: string | null
  readonly reason: string | null
}
interface Enquiry {
  readonly payments: readonly Record<string, unknown>[]
}

const authorization = { authorization: `Bearer ${API_KEY}` }
const CARD = { number: '4111111111111111', expiry_month: '12', expiry_year: '2030', cvv: '987', name: 'Asha Rao' }
let attempts = 0
const aStart = (fields: object = {}) => ({
  attempt_id: `attempt-${String(++attempts)}`,
  tr: newTransactionId(new Date(), 0),
  method: 'credit_card',
  amount: '499.00',
  currency: 'INR',
  description: 'Blue shirt',
  return_url: 'https://pay.example/checkout/x',
  card: CARD,
  ...fields,
})
const netbanking = (bank: string) => aStart({ method: 'netbanking', card: undefined, netbanking: { bank } })
const upi = (vpa: string) => aStart({ method: 'upi', card: undefined, upi: { vpa } })

const start = (body: ReturnType<typeof aStart>, key = body.attempt_id) =>
  fixture.call<Started>('POST', '/network/v1/payments', body, { ...authorization, 'idempotency-key': key })
const enquire = async (tr: string) =>
  (await fixture.call<Enquiry>('GET', `/network/v1/payments?tr=${tr}`, undefined, authorization)).body.payments
const reverse = (reference: string, tr: string, fields: object = {}, key = reversalKey({ tr, reference })) => {
  const body = { reference, tr, amount: '499.00', reason: 'late', ...fields }
  return fixture.call('POST', '/network/v1/reversals', body, { ...authorization, 'idempotency-key': key })
}
const reportsOf = (tr: string) => fixture.callbacksOf(tr).map(({ report }) => report)

test('a repeated start gets the same answer and one payment, also concurrently; another body is a conflict', async () => {
  const body = upi('success@sandbox')
  const answers = await Promise.all([start(body), start(body), start(body)])
  answers.push(await start(body))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect(await enquire(body.tr)).toHaveLength(1)

  const other = await start({ ...body, amount: '500.00' })
  expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
})

// Proves: spec/one-integration-accepts-cards-net-banking
test.each([
  ['a card that pays at once', aStart({ card: { ...CARD, number: '4242424242424242' } }), 'success', null],
  ['a card that is declined', aStart({ card: { ...CARD, number: '4000000000000002' } }), 'failed', 'declined by the issuer'],
  ['a bank that pays at once', netbanking('PASS'), 'success', null],
  ['a bank that declines', netbanking('FAIL'), 'failed', 'declined by the bank'],
])('%s needs no page', async (_name, body, status, reason) => {
  expect(await start(body)).toMatchObject({ status: 201, body: { status, redirect_url: null, reason } })
  await eventually(() => expect(reportsOf(body.tr)).toMatchObject([{ outcome: status, attempt_id: body.attempt_id }]))
  expect(await enquire(body.tr)).toMatchObject([{ outcome: status, method: body.method, attempt_id: body.attempt_id }])
})

// Proves: connector/simulator-names-codes
test.each([
  ['4000000000002024', 'insufficient_funds', '51'],
  ['4000000000000069', 'instrument_blocked', '54'],
  ['4000000000000002', 'unknown', '05'],
])("card %s is refused as %s, with the network's own code", async (number, reasonCode, networkCode) => {
  const body = aStart({ card: { ...CARD, number } })
  expect(await start(body)).toMatchObject({ body: { status: 'failed' } })
  const codes = { outcome: 'failed', reason_code: reasonCode, network_code: networkCode }
  await eventually(() => expect(reportsOf(body.tr)).toMatchObject([codes]))
  expect(await enquire(body.tr)).toMatchObject([codes])
})

test('a slow card is pending, and then paid', async () => {
  const body = aStart({ card: { ...CARD, number: '4000000000000259' } })
  expect(await start(body)).toMatchObject({ body: { status: 'pending', redirect_url: null } })
  await eventually(() => expect(reportsOf(body.tr).map(({ outcome }) => outcome)).toEqual(['pending', 'success']))
})

// Proves: page/debit-card-by-issuer
test('a debit card is reported as one, whatever the start said', async () => {
  const body = aStart({ card: { ...CARD, number: '6521500000001012' } })
  expect(await start(body)).toMatchObject({ body: { status: 'success' } })
  await eventually(() => expect(reportsOf(body.tr)).toMatchObject([{ outcome: 'success', method: 'debit_card' }]))
  expect(await enquire(body.tr)).toMatchObject([{ method: 'debit_card' }])
})

test('a UPI collect is pending and reported with its attempt; only one of two captures is the attempt', async () => {
  const body = upi('twice@sandbox')
  expect(await start(body)).toMatchObject({ body: { status: 'pending', redirect_url: null } })
  await eventually(() => expect(reportsOf(body.tr)).toHaveLength(2))
  expect(reportsOf(body.tr).filter((report) => report['attempt_id'] === body.attempt_id)).toHaveLength(1)
})

// Proves: faults/card-data-is-stored-nowhere
test('card number, CVV and holder are stored nowhere', async () => {
  await start(aStart())
  const stored = await fixture.stored()
  expect(stored).toContain('Visa ending in 1111')
  for (const secret of [CARD.number, CARD.name]) expect(stored).not.toContain(secret)
  // Three digits can occur by chance inside an rrn or a fingerprint, but never as a complete value.
  expect(stored).not.toMatch(new RegExp(`"${CARD.cvv}"|:${CARD.cvv}\\b`, 'u'))
})

// Proves: state/network-reverses-one-key-once
test('a capture is reversed once; a repeat gets the same answer; a different amount or reason is refused', async () => {
  const body = upi('success@sandbox')
  const { reference } = (await start(body)).body
  expect(await reverse(reference, body.tr, { amount: '498.00' })).toMatchObject({
    status: 200,
    body: { status: 'failed', reason: 'amount_differs' },
  })

  const answers = await Promise.all([reverse(reference, body.tr), reverse(reference, body.tr)])
  answers.push(await reverse(reference, body.tr, { amount: '499' }))
  const rrn = expect.stringMatching(/^\d{12}$/u) as string
  expect(answers[0].body).toEqual({ reference, status: 'succeeded', reason: null, rrn })
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  const known = await fixture.call('GET', `/sandbox/payments/${body.tr}`)
  expect(known.body).toMatchObject({ payments: [{ reversal: { status: 'succeeded', reason: 'late', amount: '499.00' } }] })

  expect(await reverse(reference, body.tr, { reason: 'duplicate' })).toMatchObject({ status: 409 })
})

test('a payment that is not captured, unknown or of another order is not reversed', async () => {
  const body = upi('pending@sandbox')
  const { reference } = (await start(body)).body
  expect(await reverse(reference, body.tr)).toMatchObject({ status: 200, body: { status: 'failed', reason: 'not_captured' } })
  expect(await reverse(reference, 'ANOTHER')).toMatchObject({ status: 404, body: { code: 'payment_not_found' } })
  expect(await reverse('SIMNONE', body.tr)).toMatchObject({ status: 404, body: { code: 'payment_not_found' } })
})

test('a reversal can be slow or refused', async () => {
  const slow = upi('success.slow-reversal@sandbox')
  const { reference } = (await start(slow)).body
  expect(await reverse(reference, slow.tr)).toMatchObject({ body: { status: 'pending' } })
  await eventually(async () => expect(await reverse(reference, slow.tr)).toMatchObject({ body: { status: 'succeeded' } }))

  const refused = upi('success.refused-reversal@sandbox')
  const started = (await start(refused)).body
  expect(await reverse(started.reference, refused.tr)).toMatchObject({ body: { status: 'failed', reason: 'refused_by_bank' } })
})

test('requests without the API key get 401', async () => {
  const wrong = { authorization: 'Bearer another-api-key-of-thirty-two-characters' }
  for (const headers of [{}, wrong]) {
    expect((await fixture.call('GET', '/network/v1/payments?tr=T1', undefined, headers)).status).toBe(401)
    expect((await fixture.call('POST', '/network/v1/payments', aStart(), headers)).status).toBe(401)
    expect((await fixture.call('POST', '/network/v1/reversals', {}, headers)).status).toBe(401)
  }
})

test.each([
  ['no idempotency key', aStart(), '', '/idempotency-key'],
  ['no card', aStart({ card: undefined }), undefined, '/card'],
  ['no VPA', aStart({ method: 'upi', card: undefined }), undefined, '/upi'],
  ['a return address that is a script', aStart({ return_url: 'javascript:alert(1)' }), undefined, '/return_url'],
  ['an invalid amount', aStart({ amount: '1e3' }), undefined, '/amount'],
  ['an operator for a transaction', aStart({ tr: { $gt: '' } }), undefined, '/tr'],
])('a start with %s is refused', async (_name, body, key, field) => {
  expect(await start(body, key)).toMatchObject({ status: 422, body: { errors: [{ field }] } })
})

test.each(['', '?tr=', '?tr=a&tr=b', '?tr[$gt]=', '?tr=lower'])('an enquiry with "%s" is refused', async (query) => {
  expect((await fixture.call('GET', `/network/v1/payments${query}`, undefined, authorization)).status).toBe(422)
})

test('an unknown transaction has no payments', async () => {
  expect((await fixture.call('GET', '/network/v1/payments?tr=NONE', undefined, authorization)).body).toEqual({
    tr: 'NONE',
    payments: [],
    more: false,
    as_of: expect.any(String) as string,
  })
})

test('the contract is an OpenAPI document, callbacks included', async () => {
  const { body } = await fixture.call<Record<string, object>>('GET', '/network/v1/openapi.json')
  expect(body).toMatchObject({
    openapi: '3.1.0',
    paths: {
      '/network/v1/payments': { post: {}, get: {} },
      '/network/v1/reversals': { post: {} },
      '/network/v1/capabilities': { get: {} },
      '/network/v1/refunds': { post: {}, get: {} },
    },
    webhooks: { callback: { post: {} }, refundCallback: { post: {} } },
  })
  const references = JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/gu)
  const schemas = (body['components'] as { schemas: object }).schemas
  for (const [, name = ''] of references) expect(schemas).toHaveProperty(name)
})
