/** Every problem code of refunds, through the gateway, with the real auth-token and payment-status behind it. */
import { DEFAULT_SCOPES, type RefundResponse, type Scope } from '@gateway/contracts'
import { silentLog, stopAll } from '@gateway/service-kit'
import { jsonClient, startJsonServer, type JsonAnswer, type JsonClient } from '@gateway/testkit'
import { merchantToken, readJson, type TestAuthToken } from '@gateway-services/auth-token/testing'
import { startPaymentStatus } from '@gateway-services/payment-status/service'
import { startFixture, type Fixture } from '@gateway-services/payment-status/testing'
import { bearer, moreGateways, startRealAuthToken, UNREACHABLE } from './running-gateway.ts'

let auth: TestAuthToken
let stopAuthToken: () => Promise<void>
let fixture: Fixture
let merchantId: string
/** Headers of a credential that may refund, and of one that may not. */
let refunder: Record<string, string>
let reader: Record<string, string>
const startGateway = moreGateways(() => UNREACHABLE)

beforeAll(async () => {
  ;({ auth, stop: stopAuthToken } = await startRealAuthToken())
  fixture = await startFixture(undefined, silentLog, { jwksUrl: `${auth.url}/internal/v1/jwks.json` })
  fixture.network.answer(({ path }) =>
    path === '/network/v1/capabilities'
      ? { status: 200, body: { contract: 1, refunds: { window_days: 180, partial: true } } }
      : { status: 503 },
  )
  const merchant = await newMerchant([...DEFAULT_SCOPES, 'refunds'])
  merchantId = merchant.id
  refunder = merchant.headers
  const { key_id, key_secret } = await readJson<{ key_id: string; key_secret: string }>(
    await auth.operator('POST', `/merchants/${merchantId}/credentials`, { scopes: ['read'] }),
  )
  reader = bearer(await merchantToken({ key_id, key_secret }))
})
afterAll(async () => {
  await fixture.stop()
  await stopAuthToken()
})

async function newMerchant(scopes: readonly Scope[]): Promise<{ id: string; headers: Record<string, string> }> {
  const created = await auth.operator('POST', '/merchants', {
    name: 'Refund Stores',
    vpa: 'refunds@sandbox',
    mcc: '5411',
    scopes,
  })
  const credential = await readJson<{ merchant_id: string; key_id: string; key_secret: string }>(created)
  return { id: credential.merchant_id, headers: bearer(await merchantToken(credential)) }
}

async function through(headers: Record<string, string>, paymentStatus = fixture.url): Promise<JsonClient> {
  const { url } = await startGateway({ upstreams: { authToken: auth.url, paymentStatus } })
  return jsonClient(url, headers)
}

/** An order of 499 rupees, paid by default. */
async function anOrder(isPaid = true): Promise<{ orderId: string; transactionId: string }> {
  const { data } = await fixture.open({
    merchant: { id: merchantId, name: 'Refund Stores', vpa: 'refunds@sandbox', mcc: '5411' },
  })
  if (isPaid) await fixture.report({ tr: data.transaction_id })
  return { orderId: data.order_id, transactionId: data.transaction_id }
}

type Answer = JsonAnswer<RefundResponse & { code?: string; detail?: string }>
const refund = (client: JsonClient, order_id: string, fields: object = {}): Promise<Answer> =>
  client('POST', '/api/v1/refunds', { order_id, refund_id: 'RF-1', amount: '200.00', ...fields })
const problem = (status: number, code: string) => ({ status, body: { status, code, request_id: expect.any(String) } })

// Proves: refunds/every-problem-through-the-gateway
test('403 scope_missing, and a reader may look at a refund', async () => {
  const { orderId } = await anOrder()
  expect(await refund(await through(reader), orderId)).toMatchObject(problem(403, 'scope_missing'))
  const { body } = await refund(await through(refunder), orderId)
  expect((await (await through(reader))('GET', `/api/v1/refunds/${body.data.refund.id}`)).status).toBe(200)
})

test("404 order_not_found and refund_not_found, also for another merchant's", async () => {
  const merchant = await through(refunder)
  const { orderId, transactionId } = await anOrder()
  expect(await refund(merchant, 'ORD-unknown')).toMatchObject(problem(404, 'order_not_found'))
  expect(await merchant('GET', `/api/v1/refunds/${transactionId}R01`)).toMatchObject(problem(404, 'refund_not_found'))
  expect(await merchant('GET', '/api/v1/refunds/nonsense')).toMatchObject(problem(404, 'refund_not_found'))
  expect((await refund(merchant, orderId)).status).toBe(201)
  const stranger = await through((await newMerchant(['refunds', 'read'])).headers)
  expect(await refund(stranger, orderId)).toMatchObject(problem(404, 'order_not_found'))
  expect(await stranger('GET', `/api/v1/refunds/${transactionId}R01`)).toMatchObject(problem(404, 'refund_not_found'))
})

test.each([
  ['no amount', { amount: undefined }, '/amount'],
  ['a number', { amount: 200 }, '/amount'],
  ['a float', { amount: '1e2' }, '/amount'],
  ['three decimals', { amount: '1.001' }, '/amount'],
  ['nothing', { amount: '0.00' }, '/amount'],
  ['less than nothing', { amount: '-1.00' }, '/amount'],
  ['a leading zero', { amount: '01.00' }, '/amount'],
  ['digits of another script', { amount: '१.००' }, '/amount'],
  ['an unknown reason', { reason: 'regret' }, '/reason'],
  ['a long note', { note: 'n'.repeat(51) }, '/note'],
  ['a control character in the note', { note: 'broken\u0000' }, '/note'],
  ['a note that turns the text around', { note: 'paid \u202E' }, '/note'],
  ['an object as order_id', { order_id: { $gt: '' } }, '/order_id'],
  ['a field that does not exist', { currency: 'INR' }, '/currency'],
])('422 validation_failed: %s', async (_what, fields, field) => {
  const answer = await refund(await through(refunder), 'ORD-1', fields)
  expect(answer).toMatchObject({ ...problem(422, 'validation_failed') })
  expect(JSON.stringify(answer.body)).toContain(`"field":"${field}"`)
})

test('409 order_not_refundable, refund_exceeds_captured (says what remains) and refund_id_conflict', async () => {
  const merchant = await through(refunder)
  expect(await refund(merchant, (await anOrder(false)).orderId)).toMatchObject(problem(409, 'order_not_refundable'))
  const { orderId } = await anOrder()
  expect((await refund(merchant, orderId)).status).toBe(201)
  const tooMuch = await refund(merchant, orderId, { refund_id: 'RF-2', amount: '299.01' })
  expect(tooMuch).toMatchObject(problem(409, 'refund_exceeds_captured'))
  expect(tooMuch.body.detail).toContain('299.00')
  expect((await refund(merchant, orderId, { amount: '200' })).status).toBe(200)
  expect(await refund(merchant, orderId, { amount: '200.01' })).toMatchObject(problem(409, 'refund_id_conflict'))
  expect(await refund(merchant, orderId, { reason: 'duplicate' })).toMatchObject(problem(409, 'refund_id_conflict'))
})

test('409 too_many_refunds, from the twenty-first on', async () => {
  const merchant = await through(refunder)
  const { orderId } = await anOrder()
  const nth = (n: number) => refund(merchant, orderId, { refund_id: `RF-${n}`, amount: '1.00' })
  for (let n = 1; n <= 20; n++) expect((await nth(n)).status).toBe(201)
  expect(await nth(21)).toMatchObject(problem(409, 'too_many_refunds'))
})

test('409 refund_window_closed, 181 days after the payment', async () => {
  const { orderId, transactionId } = await anOrder()
  const transactions = fixture.sandbox.client.db(fixture.config.database).collection<{ _id: string }>('transactions')
  await transactions.updateOne({ _id: transactionId }, { $set: { final_at: new Date(Date.now() - 181 * 86_400_000) } })
  expect(await refund(await through(refunder), orderId)).toMatchObject(problem(409, 'refund_window_closed'))
})

test.each([
  [
    '409 refunds_not_supported: a connector without refunds',
    { status: 200, body: { contract: 1 } },
    problem(409, 'refunds_not_supported'),
  ],
  [
    '409 refunds_not_supported: a part, at a connector that refunds only the whole amount',
    { status: 200, body: { contract: 1, refunds: { window_days: 30, partial: false } } },
    problem(409, 'refunds_not_supported'),
  ],
  ['503 network_unavailable: the capabilities were never read', { status: 500 }, problem(503, 'network_unavailable')],
])('%s', async (_what, answer, expected) => {
  const network = await startJsonServer(() => answer)
  const replica = await startPaymentStatus({ ...fixture.config, networkUrl: network.url }, silentLog)
  try {
    const merchant = await through(refunder, `http://127.0.0.1:${replica.port}`)
    expect(await refund(merchant, (await anOrder()).orderId)).toMatchObject(expected)
  } finally {
    await stopAll(silentLog, replica.parts, 15_000)
    await network.stop()
  }
})

// Proves: api/downtimes
test('downtimes: none while the connector lists none, and 403 without the scope', async () => {
  const merchant = await through(reader)
  expect(await merchant('GET', '/api/v1/downtimes')).toMatchObject({ status: 200, body: { data: { downtimes: [] } } })
  const refundsOnly = await through((await newMerchant(['refunds'])).headers)
  expect(await refundsOnly('GET', '/api/v1/downtimes')).toMatchObject(problem(403, 'scope_missing'))
})
