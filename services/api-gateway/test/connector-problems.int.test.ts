/** What merchants are told while the network's connector is away, and about others' orders: the real services behind the gateway. */
import { DEFAULT_SCOPES, type SearchOrderResponse } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { jsonClient, newOrderId, startJsonServer, type JsonClient, type JsonServer } from '@gateway/testkit'
import { merchantToken, readJson, type TestAuthToken } from '@gateway-services/auth-token/testing'
import { startFixture as startOrderApi, type Fixture as OrderApi } from '@gateway-services/order-api/testing'
import { startFixture as startPaymentStatus, type Fixture as PaymentStatus } from '@gateway-services/payment-status/testing'
import { bearer, moreGateways, startRealAuthToken, UNREACHABLE } from './running-gateway.ts'

let auth: TestAuthToken
let stopAuthToken: () => Promise<void>
let connector: JsonServer
let orderApi: OrderApi
let paymentStatus: PaymentStatus
let gateway: string
const startGateway = moreGateways(() => UNREACHABLE)

beforeAll(async () => {
  ;({ auth, stop: stopAuthToken } = await startRealAuthToken())
  connector = await startJsonServer(({ path }) =>
    path === '/network/v1/capabilities'
      ? { status: 200, body: { contract: 1, intents: true, downtimes: true, refunds: { window_days: 180, partial: true } } }
      : { status: 503 },
  )
  const jwksUrl = `${auth.url}/internal/v1/jwks.json`
  orderApi = await startOrderApi(undefined, silentLog, { jwksUrl, intents: { url: connector.url, apiKey: 'n'.repeat(32) } })
  paymentStatus = await startPaymentStatus(undefined, silentLog, { jwksUrl, networkUrl: connector.url })
})
beforeEach(async () => {
  const upstreams = { authToken: auth.url, orderApi: orderApi.url, paymentStatus: paymentStatus.url }
  gateway = (await startGateway({ upstreams })).url
})
afterAll(async () => {
  await Promise.all([orderApi.stop(), paymentStatus.stop(), connector.stop()])
  await stopAuthToken()
})

async function newMerchant(): Promise<{ id: string; merchant: JsonClient }> {
  const body = { name: 'Intent Stores', vpa: 'intents@sandbox', mcc: '5411', scopes: [...DEFAULT_SCOPES, 'refunds'] }
  const created = await auth.operator('POST', '/merchants', body)
  const credential = await readJson<{ merchant_id: string; key_id: string; key_secret: string }>(created)
  return { id: credential.merchant_id, merchant: jsonClient(gateway, bearer(await merchantToken(credential))) }
}

const problem = (status: number, code: string) => ({ status, body: { status, code, request_id: expect.any(String) } })

// Proves: api/intent-unavailable
test('503 intent_unavailable: nothing is stored, and without UPI the same order is created', async () => {
  const { merchant } = await newMerchant()
  const customer = { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
  const order = { order_id: newOrderId(), amount: '499.00', customer }
  const refused = await merchant('POST', '/api/v1/orders/create', order)
  expect(refused).toMatchObject(problem(503, 'intent_unavailable'))
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/u)
  expect(await orderApi.documents()).toEqual([])
  expect(await merchant('POST', '/api/v1/orders/create', { ...order, methods: ['card'] })).toMatchObject({ status: 201 })
})

// Proves: api/downtimes
test('503 network_unavailable: downtimes are not guessed', async () => {
  const { merchant } = await newMerchant()
  expect(await merchant('GET', '/api/v1/downtimes')).toMatchObject(problem(503, 'network_unavailable'))
})

// Proves: refunds/every-problem-through-the-gateway
test("404 order_not_found: another merchant's order with refunds is unknown to search and to refunds", async () => {
  const [owner, stranger] = [await newMerchant(), await newMerchant()]
  const { data } = await paymentStatus.open({
    merchant: { id: owner.id, name: 'Intent Stores', vpa: 'intents@sandbox', mcc: '5411' },
  })
  await paymentStatus.report({ tr: data.transaction_id })
  const { order_id } = data
  const refund = { order_id, refund_id: 'RF-1', amount: '200.00' }
  expect(await owner.merchant('POST', '/api/v1/refunds', refund)).toMatchObject({ status: 201 })
  const found = await owner.merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id })
  expect(found.body.data.transaction.refunds).toHaveLength(1)
  for (const path of ['/api/v1/order/search', '/api/v1/refunds'])
    expect(await stranger.merchant('POST', path, path.endsWith('search') ? { order_id } : refund)).toMatchObject(
      problem(404, 'order_not_found'),
    )
})
