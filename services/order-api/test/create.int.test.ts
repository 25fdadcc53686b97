import { newTransactionId, parseUpiIntent, type CreateOrderResponse, type OrderCreated } from '@gateway/contracts'
import { anOrder, eventually, newOrderId, type JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const create = (body: unknown, headers?: Record<string, string>) =>
  merchant<CreateOrderResponse>('POST', '/api/v1/orders/create', body, headers)

// Proves: spec/create-returns-checkout-url-and-intent, spec/2-1-checkout-url-returned-creation
// Proves: spec/2-1-checkout-intent-returned-creation, spec/4-1-post-api-v1-orders, spec/4-1-answer-checkout-url-checkout
// Proves: state/expires-in-300-3600-s-default-1200
test('a new order: 201 with the links, a document, and one event in the queue', async () => {
  const before = await fixture.sandbox.messageCount(fixture.queue)
  const order = anOrder({ description: 'Blue shirt', udf1: 'cart-7' })
  const { status, body, headers } = await create(order)

  expect(status).toBe(201)
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/u)
  const { id, created_at: createdAt, expires_at: expiresAt } = body.data.transaction
  expect(body).toEqual({
    data: {
      order: { order_id: order.order_id },
      transaction: { id, status: 'Initiate', amount: '499.00', currency: 'INR', created_at: createdAt, expires_at: expiresAt },
    },
    checkout: {
      url: expect.stringMatching(`^http://gateway.test/checkout/${id}-[A-Za-z0-9_-]{24}$`),
      intent: expect.any(String),
    },
  })
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(1_200_000)
  expect(parseUpiIntent(body.checkout.intent)).toMatchObject({ transactionId: id, amount: '499.00', note: 'Blue shirt' })
  const stored = (await fixture.documents()).find(({ transaction_id }) => transaction_id === id)
  expect(stored).toMatchObject({ _id: `M1:${order.order_id}`, amount_paise: 49900, texts: { udf1: 'cart-7' } })
  await eventually(async () => expect(await fixture.sandbox.messageCount(fixture.queue)).toBe(before + 1))
  await eventually(async () => {
    const after = (await fixture.documents()).find(({ transaction_id }) => transaction_id === id)
    expect(after).toMatchObject({ outbox: [] })
  })
})

// Proves: api/repeated-create-gets-original-answer
test('the same fields again: 200 and the original answer, in any order of keys and notation of the amount', async () => {
  const order = anOrder()
  const first = await create(order)
  const again = await create({ ...order, amount: '499' })
  const { order_id, ...rest } = order
  const shuffled = await create({ ...rest, order_id })
  expect([first.status, again.status, shuffled.status]).toEqual([201, 200, 200])
  expect(again.body).toEqual(first.body)
  expect(shuffled.body).toEqual(first.body)
})

// Proves: api/phones-are-e164
test('a phone is stored as E.164, and the same order with another spelling is the same order', async () => {
  const order = anOrder({ customer: { name: 'Asha', phone: '+91 98765 43210' } })
  const answers = [await create(order)]
  for (const phone of ['9876543210', '09876543210', '+91-98765 43210'])
    answers.push(await create({ ...order, customer: { name: 'Asha', phone } }))
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200])
  expect((await create({ ...order, customer: { name: 'Asha', phone: '9876543211' } })).status).toBe(409)
  const abroad = anOrder({ customer: { name: 'Joe', phone: '+1 (415) 555-2671' } })
  expect((await create(abroad)).status).toBe(201)
  const stored = await fixture.documents()
  const customerOf = ({ order_id }: typeof order) => stored.find((document) => document['order_id'] === order_id)?.['customer']
  expect(customerOf(order)).toEqual({ id: null, name: 'Asha', email: null, phone: '+919876543210' })
  expect(customerOf(abroad)).toMatchObject({ phone: '+14155552671' })
})

// Proves: api/create-required-fields, api/phones-are-e164
test('without e-mail and phone, or with a phone that is none, the field is named', async () => {
  expect(await create(anOrder({ customer: { name: 'Asha', email: 'a@b.in' } }))).toMatchObject({ status: 201 })
  const refused = [
    [{ name: 'Asha' }, '/customer', 'must be an object with name, and with email or phone or both'],
    [{ name: 'Asha', email: 'a@b.in', phone: '12345' }, '/customer/phone', expect.stringContaining('mobile number')],
  ] as const
  for (const [customer, field, message] of refused)
    expect(await create({ ...anOrder(), customer })).toMatchObject({ status: 422, body: { errors: [{ field, message }] } })
})

// Proves: api/order-id-conflict
test('other fields under the same order_id: 409', async () => {
  const order = anOrder()
  await create(order)
  for (const other of [
    { ...order, amount: '500' },
    { ...order, currency: 'INR' },
    { ...order, udf1: '' },
  ]) {
    expect(await create(other)).toMatchObject({ status: 409, body: { code: 'order_id_conflict' } })
  }
})

// Proves: api/concurrent-creates-make-one-order
test('twenty at once make one order and one event', async () => {
  // An order's event leaves up to 25 ms after the answer.
  await eventually(async () => expect(await fixture.sandbox.messageCount(fixture.queue)).toBe((await fixture.documents()).length))
  const before = await fixture.sandbox.messageCount(fixture.queue)
  const order = anOrder()
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(order)))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201])
  expect(new Set(answers.map(({ body }) => body.data.transaction.id)).size).toBe(1)
  await eventually(async () => expect(await fixture.sandbox.messageCount(fixture.queue)).toBe(before + 1))
})

// Proves: api/concurrent-creates-make-one-order
test('two different orders at once under one id: one wins, the other is a conflict', async () => {
  const order = anOrder()
  const answers = await Promise.all([create(order), create({ ...order, amount: '1.00' })])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
})

// Proves: spec/2-1-data-transaction-id-unique
test('another merchant may use the same order_id', async () => {
  const order = anOrder()
  const other = await fixture.as('M2')
  const [mine, theirs] = [await create(order), await other<CreateOrderResponse>('POST', '/api/v1/orders/create', order)]
  expect([mine.status, theirs.status]).toEqual([201, 201])
  expect(theirs.body.data.transaction.id).not.toBe(mine.body.data.transaction.id)
})

// Proves: api/intent-is-empty-without-upi
test('without UPI, or above its cap, there is no intent', async () => {
  expect((await create(anOrder({ methods: ['card'] }))).body.checkout.intent).toBe('')
  expect((await create(anOrder({ amount: '100000.01' }))).body.checkout.intent).toBe('')
  expect(await create(anOrder({ amount: '100000.01', methods: ['upi'] }))).toMatchObject({
    status: 422,
    body: { errors: [{ field: '/amount' }] },
  })
})

// Proves: api/errors-name-all-bad-fields, faults/operator-objects
test('every bad field is named, as a problem', async () => {
  const bad = { order_id: { $gt: '' }, amount: '1e3', extra: 1 }
  const { status, headers, body } = await merchant<{ errors: { field: string }[] }>('POST', '/api/v1/orders/create', bad)
  expect(status).toBe(422)
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/u)
  expect(body).toMatchObject({ code: 'validation_failed', status: 422, request_id: headers.get('x-request-id') })
  expect(body.errors.map(({ field }) => field).sort()).toEqual(['/amount', '/customer', '/extra', '/order_id'])
})

// Proves: faults/amount-0
test.each(['0', '0.99', '10000000.01'])('an amount of %s is refused', async (amount) => {
  expect(await create(anOrder({ amount }))).toMatchObject({ status: 422, body: { errors: [{ field: '/amount' }] } })
})

// Proves: faults/malformed-bodies
test.each([
  ['malformed JSON', '{"order_id":', {}, 400, 'malformed_json'],
  ['a JSON text', '"order"', {}, 400, 'malformed_json'],
  ['an array', '[]', {}, 422, 'validation_failed'],
  ['no body', undefined, {}, 422, 'validation_failed'],
  ['a form', 'order_id=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'content_type_unsupported'],
  ['another charset', '{}', { 'content-type': 'application/json; charset=koi8-r' }, 415, 'content_type_unsupported'],
  ['more than 64 KiB', JSON.stringify({ udf1: 'x'.repeat(70_000) }), {}, 413, 'body_too_large'],
])('%s', async (_name, body, headers, status, code) => {
  expect(await create(body, headers)).toMatchObject({ status, body: { code } })
})

// Proves: api/one-reader-of-bodies
test('what is not UTF-8 is stored nowhere; with a byte order mark the same fields are the same order', async () => {
  const order = anOrder({ order_id: newOrderId(), description: 'José', udf1: 'नी' })
  const text = JSON.stringify(order)
  const bad = [Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(text).subarray(0, -4)]
  for (const body of bad) expect(await create(body)).toMatchObject({ status: 400, body: { code: 'body_not_utf8' } })
  const half = text.replace('José', '\\ud83d')
  expect(await create(half)).toMatchObject({ status: 422, body: { errors: [{ field: '/description' }] } })
  expect((await fixture.documents()).filter(({ order_id }) => order_id === order.order_id)).toEqual([])
  expect((await create(Buffer.from(`\ufeff${text}`))).status).toBe(201)
  expect((await create(order)).status).toBe(200)
})

// Proves: spec/requests-carry-bearer-token
test.each([
  ['no token', '', 'token_missing'],
  ['garbage', 'Bearer nonsense', 'token_invalid'],
  ['a basic login', 'Basic YTpi', 'token_missing'],
])('%s: 401', async (_name, authorization, code) => {
  expect(await create(anOrder(), { authorization })).toMatchObject({ status: 401, body: { code } })
})

test('payment-status finds orders by transaction and by order id, and customers in batches', async () => {
  const order = anOrder({ order_id: newOrderId(), customer: { id: 'C-9', name: 'Asha', email: 'a@b.in', phone: '9876543210' } })
  const { id } = (await create(order)).body.data.transaction
  const byTransaction = await fixture.internal<OrderCreated>('GET', `/internal/v1/orders/by-transaction/${id}`)
  const byOrderId = await fixture.internal<OrderCreated>('GET', `/internal/v1/orders/by-order-id/M1/${order.order_id}`)
  expect(byTransaction.body).toMatchObject({ type: 'order.created', data: { transaction_id: id, order_id: order.order_id } })
  expect(byOrderId.body).toEqual(byTransaction.body)
  expect(JSON.stringify(byTransaction.body)).not.toContain('a@b.in')
  expect(await fixture.internal('GET', '/internal/v1/orders/by-transaction/NOPE')).toMatchObject({
    status: 404,
    body: { code: 'order_not_found' },
  })
  expect(
    await fixture.internal('POST', '/internal/v1/orders/customers', { transaction_ids: [id, newTransactionId(new Date(), 0)] }),
  ).toMatchObject({
    status: 200,
    body: { customers: { [id]: { ...order.customer, phone: '+919876543210' } } },
  })
})

test('internal addresses need the internal token', async () => {
  expect(await merchant('GET', '/internal/v1/orders/by-transaction/X')).toMatchObject({
    status: 401,
    body: { code: 'unauthorized' },
  })
})
