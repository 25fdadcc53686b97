import { orderTextsOf, type SearchOrderResponse, type TransactionStatus } from '@gateway/contracts'
import { eventually, type JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { anOrderCreated, sendCallback } from './messages.ts'

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const search = (orderId: string) => merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: orderId })
const statuses = async (transactionId: string): Promise<TransactionStatus[]> =>
  (await fixture.events(transactionId)).map(({ data }) => data.status)
const becomes = (orderId: string, status: TransactionStatus) =>
  eventually(async () => {
    const { body } = await search(orderId)
    expect(body.data.transaction.status).toBe(status)
    return body
  })

// Proves: spec/status-can-be-checked-any-time, spec/4-2-post-api-v1-order, spec/4-2-answer-data-transaction-id
// Proves: api/answers-have-every-key, api/search-answer
test('order.created opens a transaction; search shows every key; the queues are empty', async () => {
  const { data } = await fixture.open()
  const { status, body } = await search(data.order_id)
  expect(status).toBe(200)
  expect(body).toEqual({
    data: {
      order: {
        order_id: data.order_id,
        customer: { id: null, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
        ...orderTextsOf({ description: 'Blue shirt', udf1: 'cart-7' }),
      },
      transaction: {
        id: data.transaction_id,
        status: 'Initiate',
        amount: '499.00',
        currency: 'INR',
        method: null,
        rrn: null,
        failure_reason: null,
        failure_code: null,
        payer: null,
        attempts: [],
        reversals: [],
        refunds: [],
        amount_refunded: '0.00',
        amount_refundable: '0.00',
        sequence: 1,
        created_at: data.created_at,
        updated_at: data.created_at,
        expires_at: data.expires_at,
      },
    },
    checkout: {
      url: expect.stringContaining(`http://gateway.test/checkout/${data.transaction_id}-`),
      intent: data.intent,
    },
  })
  await eventually(async () => expect(await statuses(data.transaction_id)).toEqual(['Initiate']))
  expect(await fixture.sandbox.messageCount(fixture.queues.orders)).toBe(0)
  expect(await fixture.sandbox.messageCount(fixture.queues.dead)).toBe(0)
})

// Proves: spec/6-2-rrn-retrieval-reference-bank, api/callback-200-recorded
test('a signed success: Success, one event, payer and rrn in search, checkout closed; the same callback again changes nothing', async () => {
  const { data } = await fixture.open()
  const callback = { tr: data.transaction_id, rrn: '123456789012', payer: { name: 'Asha', vpa: 'asha@okbank' } }
  const answers = await Promise.all(Array.from({ length: 5 }, () => fixture.report(callback)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])

  const { body } = await search(data.order_id)
  expect(body.data.transaction).toMatchObject({
    status: 'Success',
    sequence: 2,
    method: 'upi',
    rrn: '123456789012',
    payer: callback.payer,
    attempts: [{ status: 'succeeded' }],
    reversals: [],
  })
  expect(body.checkout).toBeNull()
  await eventually(async () => expect(await statuses(data.transaction_id)).toEqual(['Initiate', 'Success']))
  const [, success] = await fixture.events(data.transaction_id)
  expect(success).toMatchObject({
    id: `${data.transaction_id}.2`,
    correlation_id: `corr-${data.transaction_id}`,
    data: { rrn: '123456789012' },
  })
})

// Proves: state/first-success-wins-others-reversed, state/one-success-per-order
test('many different reports at once: one accepted capture, every other one reversed once', async () => {
  const { data } = await fixture.open()
  fixture.network.answer(({ method, query, body }) =>
    method === 'GET'
      ? { status: 200, body: { tr: query.get('tr'), payments: [] } }
      : { status: 200, body: { reference: (body as { reference: string }).reference, status: 'succeeded', reason: null } },
  )
  const references = Array.from({ length: 8 }, (_, index) => `MANY-${index}-${data.transaction_id}`)
  const answers = await Promise.all(references.map((reference) => fixture.report({ tr: data.transaction_id, reference })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const body = await eventually(async () => {
    const found = (await search(data.order_id)).body
    expect(found.data.transaction.reversals.filter(({ status }) => status === 'succeeded')).toHaveLength(7)
    return found
  })
  expect(body.data.transaction.attempts.filter(({ status }) => status === 'succeeded')).toHaveLength(1)
  const asked = fixture.network.requests.filter(({ method }) => method === 'POST')
  expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(7)
})

// Proves: api/failure-code-says-why
test("the network's own code of a decline is stored with the attempt, and search shows only the contract's", async () => {
  const { data } = await fixture.open()
  const codes = { reason_code: 'insufficient_funds', network_code: 'NETWORK-51' }
  await fixture.report({ tr: data.transaction_id, outcome: 'failed', ...codes })
  const body = await becomes(data.order_id, 'Failed')
  expect(body.data.transaction).toMatchObject({ failure_code: 'insufficient_funds' })
  expect(JSON.stringify(body)).not.toContain('NETWORK-51')
  expect(await fixture.document(data.transaction_id)).toMatchObject({ attempts: [{ network_code: 'NETWORK-51' }] })
})

test('a decline is Failed, and a wrong amount is reversed', async () => {
  const declined = await fixture.open()
  await fixture.report({ tr: declined.data.transaction_id, outcome: 'failed' })
  await becomes(declined.data.order_id, 'Failed')

  const mismatch = await fixture.open()
  await fixture.report({ tr: mismatch.data.transaction_id, amount: '498.00' })
  const body = await becomes(mismatch.data.order_id, 'Failed')
  expect(body.data.transaction).toMatchObject({
    failure_reason: 'amount_mismatch',
    reversals: [{ amount: '498.00', reason: 'amount_mismatch' }],
  })
})

test('an attempt of the checkout: Pending, a second one refused, abandoned, cancelled, and enquired until it ends', async () => {
  const { data } = await fixture.open()
  const path = `/internal/v1/transactions/${data.transaction_id}`
  const attempt = { attempt_id: 'attempt-0001', method: 'credit_card' }
  expect(await fixture.internal('POST', `${path}/attempts`, attempt)).toMatchObject({
    status: 201,
    body: { status: 'Pending', payable: false, attempts: [{ id: 'attempt-0001', status: 'open' }], attempts_left: 0 },
  })
  expect(await fixture.internal('POST', `${path}/attempts`, attempt)).toMatchObject({ status: 201, body: { sequence: 2 } })
  expect(await fixture.internal('POST', `${path}/attempts`, { ...attempt, attempt_id: 'attempt-0002' })).toMatchObject({
    status: 409,
    body: { code: 'attempt_not_allowed' },
  })
  expect(await fixture.internal('POST', `${path}/attempts/attempt-0001/abandon`)).toMatchObject({
    status: 200,
    body: { attempts: [{ status: 'abandoned' }] },
  })
  expect(await fixture.internal('POST', `${path}/attempts/none/abandon`)).toMatchObject({ status: 404 })
  expect(await fixture.internal('POST', `${path}/cancel`)).toMatchObject({
    status: 200,
    body: { closing: 'cancelled', checkout: null },
  })
  const body = await becomes(data.order_id, 'Failed')
  expect(body.data.transaction).toMatchObject({ failure_reason: 'cancelled', attempts: [{ failure_reason: 'network_error' }] })
  expect(await fixture.internal('POST', `${path}/attempts`, { ...attempt, attempt_id: 'attempt-0003' })).toMatchObject({
    status: 409,
    body: { code: 'order_not_payable' },
  })
})

// Proves: spec/status-can-be-checked-any-time
test('search adopts an order whose event has not arrived, and the late event changes nothing', async () => {
  const created = anOrderCreated()
  fixture.known.set(created.data.transaction_id, created)
  expect((await search(created.data.order_id)).body.data.transaction).toMatchObject({
    id: created.data.transaction_id,
    sequence: 1,
  })
  await fixture.publish(JSON.stringify(created))
  await eventually(async () => expect(await fixture.sandbox.messageCount(fixture.queues.orders)).toBe(0))
  await eventually(async () => expect(await statuses(created.data.transaction_id)).toEqual(['Initiate']))
})

// Proves: state/unknown-tr-adopted-if-order-known
test('a callback adopts the order too; one about an unknown order is quarantined once, and answered 200', async () => {
  const created = anOrderCreated()
  fixture.known.set(created.data.transaction_id, created)
  expect(await fixture.report({ tr: created.data.transaction_id })).toMatchObject({ status: 200, body: { status: 'recorded' } })
  await becomes(created.data.order_id, 'Success')

  const unknown = { tr: 'NOBODY', reference: 'LOST' }
  for (let again = 0; again < 2; again++) {
    expect(await fixture.report(unknown)).toMatchObject({ status: 200, body: { status: 'quarantined' } })
  }
  const quarantined = await fixture.sandbox.client.db(fixture.config.database).collection('quarantined_reports').find().toArray()
  expect(quarantined.filter(({ excerpt }) => String(excerpt).includes('LOST'))).toHaveLength(1)
})

test('an unknown field is no reason to refuse a callback', async () => {
  const { data } = await fixture.open()
  const extended = {
    reference: 'EXT-1',
    tr: data.transaction_id,
    outcome: 'success',
    amount: '499.00',
    method: 'upi',
    bank: { ifsc: 'X' },
  }
  expect(await sendCallback(merchant, JSON.stringify(extended))).toMatchObject({ status: 200, body: { status: 'recorded' } })
  await becomes(data.order_id, 'Success')
})
