/** `POST /api/v1/sandbox/simulate` through the gateway: each outcome, to its end as a search shows it. */
import type { CreateOrderRequest, SearchOrderResponse, SimulateRequest, SimulateResponse } from '@gateway/contracts'
import { anOrder, eventually, jsonClient, type ApiAnswer } from '@gateway/testkit'
import { findLeaks } from './support/leaks.ts'
import { connectMerchant, createMerchant, type Merchant } from './support/merchant.ts'
import { startStack, type RunningStack } from './support/running-stack.ts'

type Transaction = SearchOrderResponse['data']['transaction']
type Answer = ApiAnswer<SimulateResponse & { code?: string }>

interface Case {
  readonly about: string
  readonly wish: Omit<SimulateRequest, 'order_id'>
  readonly order?: Partial<CreateOrderRequest>
  readonly becomes: object
}

const PATH = '/api/v1/sandbox/simulate'
const short = { order: { expires_in: 5 } }
const reversed = (reason: string, amount: string): object[] => [{ reason, amount, status: 'succeeded' }]

const CASES: readonly Case[] = [
  {
    about: 'success by card',
    wish: { outcome: 'success', method: 'credit_card' },
    becomes: { status: 'Success', method: 'credit_card', rrn: expect.stringMatching(/^\d{12}$/u), reversals: [] },
  },
  {
    about: 'success after a while',
    wish: { outcome: 'success', delay_ms: 1000 },
    becomes: { status: 'Success', method: 'upi', sequence: 3 },
  },
  {
    about: 'success four times, then pending',
    wish: { outcome: 'success', duplicates: 3, reorder: true },
    becomes: { status: 'Success', sequence: 2, attempts: [{ status: 'succeeded' }], reversals: [] },
  },
  { about: 'failure', wish: { outcome: 'failure' }, becomes: { status: 'Failed', failure_reason: 'declined' } },
  { about: 'pending', wish: { outcome: 'pending' }, becomes: { status: 'Pending', attempts: [{ status: 'open' }] } },
  {
    about: 'expiry',
    ...short,
    wish: { outcome: 'expire' },
    becomes: { status: 'Failed', failure_reason: 'expired', attempts: [], reversals: [] },
  },
  {
    about: 'late success',
    ...short,
    wish: { outcome: 'late_success' },
    becomes: { status: 'Failed', failure_reason: 'expired', reversals: reversed('late', '499.00') },
  },
  {
    about: 'another amount',
    wish: { outcome: 'amount_mismatch' },
    becomes: { status: 'Failed', failure_reason: 'amount_mismatch', reversals: reversed('amount_mismatch', '498.00') },
  },
  {
    about: 'a network that does not answer at first',
    ...short,
    wish: { outcome: 'network_timeout' },
    becomes: { status: 'Success', method: 'upi', reversals: [] },
  },
]

let stack: RunningStack
let merchant: Merchant
const orders = new Map<Case, string>()

const simulate = (by: Merchant, orderId: string, wish: Case['wish']): Promise<Answer> =>
  by.call('POST', PATH, { order_id: orderId, ...wish })
const transactionOf = async (orderId: string): Promise<Transaction> => (await merchant.search(orderId)).body.data.transaction

beforeAll(async () => {
  stack = await startStack()
  merchant = await connectMerchant(stack.description, await createMerchant(stack.description, 'Simulated Stores'))
  // All at once: most of them only wait.
  await Promise.all(
    CASES.map(async (one) => {
      const order = anOrder(one.order)
      await merchant.create(order)
      orders.set(one, order.order_id)
      const { status, body } = await simulate(merchant, order.order_id, one.wish)
      expect([status, body.data]).toMatchObject([202, { order_id: order.order_id, outcome: one.wish.outcome }])
    }),
  )
}, 300_000)

afterAll(() => stack.remove(), 300_000)

test.each(CASES)('$about', async (one) => {
  const orderId = orders.get(one) ?? ''
  await eventually(async () => expect(await transactionOf(orderId)).toMatchObject(one.becomes), { deadlineMs: 40_000 })
})

test("another merchant's order does not exist, an ended one is not payable, and nothing goes without a token", async () => {
  const order = anOrder()
  await merchant.create(order)
  const stranger = await connectMerchant(stack.description, await createMerchant(stack.description, 'Strangers'))
  const theirs = await simulate(stranger, order.order_id, { outcome: 'success' })
  expect([theirs.status, theirs.body.code]).toEqual([404, 'order_not_found'])
  const nobodys = await jsonClient(stack.description.base_url)('POST', PATH, { order_id: order.order_id, outcome: 'success' })
  expect(nobodys.status).toBe(401)
  expect((await transactionOf(order.order_id)).status).toBe('Initiate')

  await simulate(merchant, order.order_id, { outcome: 'success' })
  await eventually(async () => expect((await transactionOf(order.order_id)).status).toBe('Success'))
  const again = await simulate(merchant, order.order_id, { outcome: 'success' })
  expect([again.status, again.body.code]).toEqual([409, 'order_not_payable'])
})

test('the document describes it', async () => {
  const { body } = await jsonClient(stack.description.base_url)('GET', '/openapi.json')
  expect(body).toMatchObject({ paths: { [PATH]: { post: { requestBody: expect.anything(), responses: { 202: {}, 404: {} } } } } })
})

// The last one: it looks at what all the others have left.
test('no log holds anything private', async () => {
  expect(findLeaks(stack.logs(), [await merchant.token(), merchant.credentials.key_secret, 'Asha'])).toEqual([])
})
