/** UPI links that the connector mints, or a signer signs: made before the order is stored, and the same bytes at every call. */
import type { CreateOrderResponse, IntentRequest } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { newOrderId, startJsonServer, type JsonClient, type JsonReply, type JsonServer } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let connector: JsonServer
let fixture: Fixture
let merchant: JsonClient
const minted = ({ tr, amount }: IntentRequest): string => `upi://pay?pa=acq@bank&tr=ACQ-${tr}&am=${amount}&cu=INR&sign=a%2Bb`
const honest = (request: IntentRequest): JsonReply => ({ status: 200, body: { intent: minted(request), signed: true } })
let reply: (request: IntentRequest) => JsonReply = honest

beforeAll(async () => {
  connector = await startJsonServer(({ body }) => reply(body as IntentRequest))
  fixture = await startFixture(undefined, silentLog, { intents: { url: connector.url, apiKey: 'n'.repeat(32), timeoutMs: 500 } })
  merchant = await fixture.as('M1')
})
afterEach(() => (reply = honest))
afterAll(async () => {
  await fixture.stop()
  await connector.stop()
})

const request = (fields: object = {}) => ({
  order_id: newOrderId(),
  amount: '499.00',
  customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
  ...fields,
})
const create = (body: object, client = merchant) =>
  client<CreateOrderResponse & { code?: string }>('POST', '/api/v1/orders/create', body)
const storedOf = async (orderId: string) => (await fixture.documents()).find((document) => document['order_id'] === orderId)

// Proves: api/connector-intents-same-bytes
test('the link of the connector is stored; create, its repetition and the event have the same bytes', async () => {
  const body = request({ description: 'Blue shirt' })
  const first = await create(body)
  expect(first.status).toBe(201)
  const { id } = first.body.data.transaction
  const asked = connector.requests.filter(({ body: sent }) => (sent as IntentRequest).tr === id)
  expect(asked).toMatchObject([
    {
      method: 'POST',
      path: '/network/v1/intents',
      headers: { 'idempotency-key': id, authorization: `Bearer ${'n'.repeat(32)}` },
      body: { tr: id, amount: '499.00', note: 'Blue shirt', expires_at: first.body.data.transaction.expires_at },
    },
  ])
  const intent = minted(asked[0]?.body as IntentRequest)
  expect(first.body.checkout.intent).toBe(intent)
  expect(await storedOf(body.order_id)).toMatchObject({ intent })

  reply = () => ({ status: 503 })
  const again = await create(body)
  expect([again.status, again.body.checkout]).toEqual([200, first.body.checkout])
  const internal = await fixture.internal('GET', `/internal/v1/orders/by-transaction/${id}`)
  expect(internal).toMatchObject({ status: 200, body: { data: { intent } } })
})

// Proves: api/intent-unavailable
test.each<[string, (request: IntentRequest) => JsonReply]>([
  ['is away', () => 'reset'],
  ['hangs', () => 'hang'],
  ['answers 503', () => ({ status: 503 })],
  ['answers 404', () => ({ status: 404 })],
  ['mints another amount', (asked) => ({ status: 200, body: { intent: minted({ ...asked, amount: '1.00' }), signed: true } })],
  ['mints no UPI link', () => ({ status: 200, body: { intent: 'https://pay?am=499.00&cu=INR', signed: true } })],
])(
  '503 intent_unavailable, and nothing is stored, when the connector %s; without UPI the order is created',
  async (_what, how) => {
    reply = how
    const body = request()
    expect(await create(body)).toMatchObject({ status: 503, body: { code: 'intent_unavailable' } })
    expect(await storedOf(body.order_id)).toBeUndefined()
    const asked = connector.requests.length
    const card = await create({ ...body, methods: ['card'] })
    expect([card.status, card.body.checkout.intent, connector.requests.length]).toEqual([201, '', asked])
    expect(await storedOf(body.order_id)).toMatchObject({ intent: '' })
  },
)

test('concurrent requests of one order get one link', async () => {
  const body = request()
  const answers = await Promise.all([create(body), create(body), create(body)])
  expect(new Set(answers.map((answer) => answer.body.checkout.intent)).size).toBe(1)
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 201])
})

// Proves: api/intent-can-be-signed
test('with local links a signer signs once; signed or not, the link is stored', async () => {
  let calls = 0
  const signer = { mode: '05', orgid: '159999', sign: () => String((calls += 1)) }
  const signing = await startFixture(undefined, silentLog, { intentSigner: signer })
  const body = request()
  const client = await signing.as('M1')
  const [first, again] = [await create(body, client), await create(body, client)]
  const [stored] = await signing.documents()
  await signing.stop()
  expect(first.body.checkout.intent).toMatch(/^upi:\/\/pay\?.*&cu=INR&tn=[^&]+&mode=05&orgid=159999&sign=1$/u)
  expect([again.status, again.body.checkout, calls]).toEqual([200, first.body.checkout, 1])
  expect(stored).toMatchObject({ intent: first.body.checkout.intent })

  const plain = await startFixture()
  const unsigned = await create(request(), await plain.as('M1'))
  const [document] = await plain.documents()
  await plain.stop()
  expect(unsigned.body.checkout.intent).toMatch(/&cu=INR&tn=[^&]+$/u)
  expect(document).toMatchObject({ intent: unsigned.body.checkout.intent })
})
