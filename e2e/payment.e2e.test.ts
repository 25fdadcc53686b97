/** One order through the gateway, from its creation to its webhooks and the merchant's search. */
import { orderTextsOf, TRANSACTION_ID_PATTERN } from '@gateway/contracts'
import { anOrder, eventually, jsonClient } from '@gateway/testkit'
import { openPage, sendForm } from './support/form-shopper.ts'
import { findLeaks } from './support/leaks.ts'
import { refusalOf, upiApp } from './support/merchant.ts'
import { sharedStack, type SharedStack } from './support/running-stack.ts'
import { openMerchantSite, type MerchantSite, type WebhookAttempt } from './support/merchant-site.ts'

let stack: SharedStack
let site: MerchantSite

beforeAll(async () => {
  stack = sharedStack()
  site = await openMerchantSite(stack.description, 'Flow Stores')
}, 300_000)

afterAll(async () => {
  await site.close()
}, 300_000)

const customer = { id: 'C-9', name: 'Asha Rao', email: 'asha.rao@shoppers.example', phone: '+919876512345' }
const udf = { udf1: 'cart 7', udf2: 'नीली कमीज़', udf3: '<b>&"' }

/** Waits until the order has `count` webhooks. */
function webhooksOf(orderId: string, count: number): Promise<readonly WebhookAttempt[]> {
  return eventually(
    () => {
      const attempts = site.attemptsFor(orderId)
      expect(attempts).toHaveLength(count)
      return attempts
    },
    { deadlineMs: 30_000 },
  )
}

async function waitForStatus(orderId: string, status: string): Promise<void> {
  await eventually(async () => expect((await site.merchant.search(orderId)).transaction.status).toBe(status), {
    deadlineMs: 30_000,
    pauseMs: 100,
  })
}

// Proves: spec/upi-includes-app-intent-checkout, spec/create-returns-checkout-url-and-intent
// Proves: spec/status-change-is-json-post, spec/flow-steps-2-to-5, spec/2-1-order-id-merchants-own-comes
// Proves: spec/2-1-same-create-search-txnid, spec/2-1-udf1-udf2-udf3-passed, spec/6-1-5-webhook-signal-search
// Proves: spec/6-2-txnid-data-transaction-id, spec/6-2-metadata-udf1-udf2-udf3, api/search-not-older-than-webhooks
// Proves: webhooks/datetime-in-ist
test('create → intent → pay → signed webhooks → search', async () => {
  const order = anOrder({ amount: '499', description: 'Blue shirt', customer: { ...customer, phone: '098765 12345' }, ...udf })
  const created = await site.merchant.gateway.orders.create(order)
  const { id: txnid } = created.transaction
  expect(created).toEqual({
    created: true,
    checkout: { url: expect.any(String), intent: expect.any(String) },
    order: { order_id: order.order_id },
    transaction: {
      id: expect.stringMatching(new RegExp(TRANSACTION_ID_PATTERN, 'u')),
      status: 'Initiate',
      amount: '499.00',
      currency: 'INR',
      created_at: expect.any(String),
      expires_at: expect.any(String),
    },
  })
  expect(created.checkout.intent).toContain(`&tr=${txnid}&am=499.00&cu=INR&tn=Blue%20shirt`)
  const open = await site.merchant.search(order.order_id)
  expect(open).toMatchObject({ transaction: { status: 'Initiate', rrn: null }, checkout: created.checkout })

  const app = upiApp(stack.description)
  expect((await app.pay(created.checkout.intent, 'success@sandbox')).status).toBe(202)
  const webhooks = await webhooksOf(order.order_id, 2)
  const found = await site.merchant.search(order.order_id)

  expect(found).toEqual({
    order: { order_id: order.order_id, customer, ...orderTextsOf({ description: 'Blue shirt', ...udf }) },
    transaction: {
      id: txnid,
      status: 'Success',
      amount: '499.00',
      currency: 'INR',
      method: 'upi',
      rrn: expect.stringMatching(/^\d{12}$/u),
      failure_reason: null,
      failure_code: null,
      payer: { name: 'Asha Sandbox', vpa: 'success@sandbox' },
      attempts: [expect.objectContaining({ method: 'upi', status: 'succeeded', failure_reason: null })],
      reversals: [],
      refunds: [],
      amount_refunded: '0.00',
      amount_refundable: '499.00',
      sequence: 2,
      created_at: created.transaction.created_at,
      updated_at: expect.any(String),
      expires_at: created.transaction.expires_at,
    },
    checkout: null,
  })
  const { rrn, payer, created_at, updated_at } = found.transaction
  const same = { txnid, merchantTxnId: order.order_id, amount: '499.00', metadata: udf }
  expect(inOrder(webhooks)).toEqual([
    { ...same, rrn: '', status: 'Initiate', datetime: inIndia(created_at) },
    { ...same, rrn, status: 'Success', payee: payer, datetime: inIndia(updated_at) },
  ])
  expect(webhooks.map(({ isAuthentic, attempt }) => [isAuthentic, attempt])).toEqual([
    [true, 1],
    [true, 1],
  ])
  expect(new Set(webhooks.map(({ id }) => id))).toEqual(new Set([`${txnid}.1`, `${txnid}.2`]))
  const again = await app.pay(created.checkout.intent, 'success@sandbox')
  expect([again.status, again.body]).toEqual([409, expect.objectContaining({ code: 'order_not_payable' })])
})

test('the same order sent again gets the same answer; other fields under its id are a conflict', async () => {
  const order = anOrder({ amount: '10' })
  const { orders } = site.merchant.gateway
  const first = await orders.create(order)
  expect(await orders.create({ ...order, amount: '10.00' })).toEqual({ ...first, created: false })
  const other = orders.create({ ...order, amount: '11.00' })
  expect(await refusalOf(other)).toMatchObject({ status: 409, code: 'order_id_conflict' })
})

test('the shopper cancels on the hosted page', async () => {
  const order = anOrder()
  const { checkout } = await site.merchant.gateway.orders.create(order)
  const page = await openPage(checkout.url)
  expect((await sendForm(page, { csrf: page.csrf }, '/cancel')).status).toBe(303)
  await waitForStatus(order.order_id, 'Failed')
  const found = await site.merchant.search(order.order_id)
  expect(found).toMatchObject({ transaction: { failure_reason: 'cancelled', reversals: [] }, checkout: null })
  expect(inOrder(await webhooksOf(order.order_id, 2)).map(({ status }) => status)).toEqual(['Initiate', 'Failed'])
})

test('every log line about an order carries the request id of its creation', async () => {
  const order = anOrder()
  const api = jsonClient(stack.description.base_url, { authorization: `Bearer ${await site.merchant.gateway.token()}` })
  const created = await api<{ checkout: { intent: string } }>('POST', '/api/v1/orders/create', order)
  await upiApp(stack.description).pay(created.body.checkout.intent, 'success@sandbox')
  await webhooksOf(order.order_id, 2)

  const requestId = created.headers.get('x-request-id') ?? ''
  expect(requestId).not.toBe('')
  await eventually(() => {
    expect(messagesWith(requestId, 'order-api')).toEqual(['request'])
    expect(messagesWith(requestId, 'payment-status')).toEqual(['status changed', 'status changed'])
    expect(messagesWith(requestId, 'webhook-dispatcher')).toEqual(['webhook attempt', 'webhook attempt'])
  })
})

function messagesWith(correlationId: string, service: string): unknown[] {
  const lines = (stack.logs().get(service) ?? '').split('\n').filter((line) => line.includes(correlationId))
  return lines.map((line) => (JSON.parse(line) as { message: unknown }).message)
}

/** Webhooks may arrive out of order; `webhook-sequence` gives their order. */
function inOrder(webhooks: readonly WebhookAttempt[]): WebhookAttempt['payload'][] {
  return webhooks.toSorted((one, other) => one.sequence - other.sequence).map(({ payload }) => payload)
}

/** For example `2026-01-02 08:34:05`, computed independently of the gateway. */
function inIndia(instant: string): string {
  return new Date(instant).toLocaleString('sv-SE', { timeZone: 'Asia/Kolkata' })
}

// Runs last: it checks the logs of all tests before it.
test('no log contains private data', async () => {
  const { credentials } = site.merchant
  const token = await site.merchant.gateway.token()
  const secrets = [credentials.key_secret, token, site.signingSecret, 'Asha', ...Object.values(udf), '9876512345', '98765 12345']
  expect(findLeaks(stack.logs(), secrets)).toEqual([])
})
