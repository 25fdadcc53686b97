/** `POST /api/v1/sandbox/simulate` through the gateway: each outcome, confirmed by the merchant's search. */
import type { NewOrder, Order, SimulateOptions, Simulation } from '@gateway/sdk'
import { anOrder, eventually, jsonClient } from '@gateway/testkit'
import { findLeaks } from './support/leaks.ts'
import { openMerchant, refusalOf, type Merchant } from './support/merchant.ts'
import { sharedStack, type SharedStack } from './support/running-stack.ts'

type Transaction = Order['transaction']

interface Case {
  readonly about: string
  readonly request: Omit<SimulateOptions, 'order_id'>
  readonly order?: Partial<NewOrder>
  readonly expected: object
}

const PATH = '/api/v1/sandbox/simulate'
const short = { order: { expires_in: 5 } }
const reversed = (reason: string, amount: string): object[] => [{ reason, amount, status: 'succeeded' }]

const CASES: readonly Case[] = [
  {
    about: 'success by card',
    request: { outcome: 'success', method: 'credit_card' },
    expected: { status: 'Success', method: 'credit_card', rrn: expect.stringMatching(/^\d{12}$/u), reversals: [] },
  },
  {
    about: 'success after a delay',
    request: { outcome: 'success', delay_ms: 1000 },
    expected: { status: 'Success', method: 'upi', sequence: 3 },
  },
  {
    about: 'success reported four times, then pending',
    request: { outcome: 'success', duplicates: 3, reorder: true },
    expected: { status: 'Success', sequence: 2, attempts: [{ status: 'succeeded' }], reversals: [] },
  },
  { about: 'failure', request: { outcome: 'failure' }, expected: { status: 'Failed', failure_reason: 'declined' } },
  { about: 'pending', request: { outcome: 'pending' }, expected: { status: 'Pending', attempts: [{ status: 'open' }] } },
  {
    about: 'expiry',
    ...short,
    request: { outcome: 'expire' },
    expected: { status: 'Failed', failure_reason: 'expired', attempts: [], reversals: [] },
  },
  {
    about: 'late success',
    ...short,
    request: { outcome: 'late_success' },
    expected: { status: 'Failed', failure_reason: 'expired', reversals: reversed('late', '499.00') },
  },
  {
    about: 'another amount',
    request: { outcome: 'amount_mismatch' },
    expected: { status: 'Failed', failure_reason: 'amount_mismatch', reversals: reversed('amount_mismatch', '498.00') },
  },
  {
    about: 'the network does not answer at first',
    ...short,
    request: { outcome: 'network_timeout' },
    expected: { status: 'Success', method: 'upi', reversals: [] },
  },
]

let stack: SharedStack
let merchant: Merchant
const orders = new Map<Case, string>()

const simulate = (by: Merchant, orderId: string, request: Case['request']): Promise<Simulation> =>
  by.gateway.sandbox.simulate({ order_id: orderId, ...request })
const transactionOf = async (orderId: string): Promise<Transaction> => (await merchant.search(orderId)).transaction

beforeAll(async () => {
  stack = sharedStack()
  merchant = await openMerchant(stack.description, 'Simulated Stores')
  // All at the same time: most of them only wait.
  await Promise.all(
    CASES.map(async (one) => {
      const order = anOrder(one.order)
      await merchant.gateway.orders.create(order)
      orders.set(one, order.order_id)
      const simulation = await simulate(merchant, order.order_id, one.request)
      expect(simulation).toMatchObject({ order_id: order.order_id, outcome: one.request.outcome })
    }),
  )
}, 300_000)

test.each(CASES)('$about', async (one) => {
  const orderId = orders.get(one) ?? ''
  await eventually(async () => expect(await transactionOf(orderId)).toMatchObject(one.expected), { deadlineMs: 40_000 })
})

test("another merchant's order is not found, a final order is not payable, and a token is required", async () => {
  const order = anOrder()
  await merchant.gateway.orders.create(order)
  const other = await openMerchant(stack.description, 'Other Stores')
  const theirs = simulate(other, order.order_id, { outcome: 'success' })
  expect(await refusalOf(theirs)).toMatchObject({ status: 404, code: 'order_not_found' })
  const withoutToken = await jsonClient(stack.description.base_url)('POST', PATH, {
    order_id: order.order_id,
    outcome: 'success',
  })
  expect(withoutToken.status).toBe(401)
  expect((await transactionOf(order.order_id)).status).toBe('Initiate')

  await simulate(merchant, order.order_id, { outcome: 'success' })
  await eventually(async () => expect((await transactionOf(order.order_id)).status).toBe('Success'))
  const again = simulate(merchant, order.order_id, { outcome: 'success' })
  expect(await refusalOf(again)).toMatchObject({ status: 409, code: 'order_not_payable' })
})

test('the OpenAPI document describes the route', async () => {
  const { body } = await jsonClient(stack.description.base_url)('GET', '/openapi.json')
  expect(body).toMatchObject({ paths: { [PATH]: { post: { requestBody: expect.anything(), responses: { 202: {}, 404: {} } } } } })
})

// Runs last: it checks the logs of all tests before it.
test('no log contains private data', async () => {
  expect(findLeaks(stack.logs(), [await merchant.gateway.token(), merchant.credentials.key_secret, 'Asha'])).toEqual([])
})
