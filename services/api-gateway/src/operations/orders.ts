import {
  authTokenResponseSchema,
  authTokenSchema,
  createOrderResponseSchema,
  createOrderSchema,
  downtimesResponseSchema,
  listOrdersSchema,
  ORDER_ID_SCHEMA,
  ordersPageSchema,
  searchOrderResponseSchema,
  searchOrderSchema,
  timelineResponseSchema,
  type JsonSchema,
} from '@gateway/contracts'
import { ledger, read } from './forwarding.ts'
import type { Operations } from './operation.ts'

const tag = 'orders'
const look = { ...ledger, tag, method: 'GET' } as const

/** The amounts of orders, from 1.00 to 10000000.00, as order-api checks them by default. */
export const ORDER_AMOUNT_PATTERN = '^(?:[1-9][0-9]{0,6}(?:[.][0-9]{1,2})?|10000000(?:[.]00?)?)$'

function createOrderRequest(options: { sandbox: boolean }): JsonSchema {
  const schema = createOrderSchema(options)
  const amount = { ...schema.properties.amount, pattern: ORDER_AMOUNT_PATTERN }
  return { ...schema, properties: { ...schema.properties, amount } }
}

/** Tokens, and the operations on orders (design, section 5). */
export const orderOperations = {
  createToken: {
    to: 'authToken',
    caller: 'anyone',
    rate: 'read',
    repeatable: true,
    tag: 'authentication',
    method: 'POST',
    path: '/api/v1/auth/token',
    summary: 'Get a token, for merchants that do not make their own',
    description:
      'Exchanges a credential for a token that lives ten minutes at most. Merchants with a JOSE library make the token themselves and never send the secret.',
    request: authTokenSchema,
    example: { key_id: 'key_sandbox_1a2b3c4d', key_secret: 'the 32 random bytes of the credential, in base64url' },
    answers: { 200: authTokenResponseSchema },
    refusals: [401],
  },
  createOrder: {
    to: 'orderApi',
    caller: 'merchant',
    rate: 'create',
    hot: true,
    repeatable: true,
    tag,
    method: 'POST',
    path: '/api/v1/orders/create',
    summary: 'Create an order; sending the same fields again returns the original answer',
    description:
      'Creates an order and its transaction in status Initiate. The same fields again give 200 with the original answer; other fields with the same order_id give 409. Send the shopper to checkout.url, or open checkout.intent in a UPI app. customer needs email or phone; the same phone in another spelling is the same field.',
    request: createOrderRequest,
    example: {
      amount: '499.00',
      customer: { email: 'asha@example.com', name: 'Asha Rao', phone: '9876543210' },
      methods: ['upi', 'card'],
      order_id: 'ORD-1001',
      return_url: 'https://merchant.example/back',
    },
    answers: { 200: createOrderResponseSchema, 201: createOrderResponseSchema },
    refusals: [409],
  },
  searchOrder: {
    ...read,
    to: 'paymentStatus',
    hot: true,
    tag,
    method: 'POST',
    path: '/api/v1/order/search',
    summary: 'Get an order with its transaction, attempts, reversals and refunds',
    description:
      'Returns the current state of one order. The answer is never older than a webhook that was already sent, so a merchant confirms each webhook with a search.',
    request: searchOrderSchema,
    example: { order_id: 'ORD-1001' },
    answers: { 200: searchOrderResponseSchema },
    refusals: [404],
  },
  listOrders: {
    ...look,
    path: '/api/v1/orders',
    summary: 'List orders, newest first',
    description:
      'Newest first. A page may be short, even empty, while next_cursor is not null: send it as cursor, with the same filters, until it is null. Status changes that were published by as_of are in the answer; searchOrder has the state of one order now.',
    query: listOrdersSchema,
    answers: { 200: ordersPageSchema },
    refusals: [404],
  },
  readTimeline: {
    ...look,
    path: '/api/v1/orders/{id}/timeline',
    summary: 'Get what happened to an order, in order',
    description:
      'Returns what happened to the payment of one order and to its webhooks, the oldest event first. incomplete names the sources that cannot be read now; without them the answer is still correct, but not complete.',
    id: ORDER_ID_SCHEMA,
    answers: { 200: timelineResponseSchema },
    refusals: [404, 422],
  },
  listDowntimes: {
    ...read,
    to: 'paymentStatus',
    tag,
    method: 'GET',
    path: '/api/v1/downtimes',
    summary: 'What does not work at the banks and networks now',
    description:
      'Lists what the payment network reports as down or slow, and what it announces. The scope read is needed. instrument is null when the whole method is meant. The payment page hides what is high and warns of what is medium. The list is at most 15 seconds old; while the network cannot be asked the answer is 503 network_unavailable.',
    answers: { 200: downtimesResponseSchema },
  },
} satisfies Operations
