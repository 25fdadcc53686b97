/** Every process killed at once, orders in flight; started again, nothing that was promised is lost. */
import type { CreatedOrder, NewOrder } from '@gateway/sdk'
import { anOrder, eventually } from '@gateway/testkit'
import { findLeaks } from './support/leaks.ts'
import { connectMerchant, upiApp, type Merchant, type UpiApp } from './support/merchant.ts'
import { startStack, type RunningStack } from './support/running-stack.ts'
import { openMerchantSite, type MerchantSite } from './support/merchant-site.ts'

const SHOPPERS = 8
/** So many orders are answered before the end comes. */
const KILL_AFTER_ORDERS = 40
/** What a dispatcher that died left half done is taken up soon, not after minutes. */
const IMPATIENT = { SWEEP_OVERDUE: '2s', SWEEP_INTERVAL: '1s', WEBHOOK_TIMEOUT: '2s', WEBHOOK_CLAIM_MARGIN: '2s' }

let stack: RunningStack
let shop: MerchantSite

beforeAll(async () => {
  stack = await startStack(IMPATIENT)
  shop = await openMerchantSite(stack.description, 'Crash Stores')
}, 300_000)

afterAll(async () => {
  await stack.remove()
  await shop.close()
}, 300_000)

/** What the shop knows about one order when everything has ended. */
interface Sent {
  readonly order: NewOrder
  /** Missing when its answer was lost. */
  readonly answer?: CreatedOrder
  /** The network has taken the shopper's payment. */
  readonly isPaid: boolean
}

/** Orders and pays, one after the other, until nobody answers any more. */
async function buyUntilTheEnd(merchant: Merchant, app: UpiApp, sent: Sent[]): Promise<void> {
  for (;;) {
    const order = anOrder()
    const answer = await merchant.gateway.orders.create(order).catch(() => undefined)
    if (!answer) return void sent.push({ order, isPaid: false })
    const paid = await app.pay(answer.checkout.intent, 'success@sandbox').catch(() => undefined)
    sent.push({ order, answer, isPaid: paid?.status === 202 })
    if (paid === undefined) return
  }
}

// Proves: faults/everything-killed-at-once
test('a killed stack, started again, has lost nothing', async () => {
  const sent: Sent[] = []
  const app = upiApp(stack.description)
  const shoppers = Array.from({ length: SHOPPERS }, () => buyUntilTheEnd(shop.merchant, app, sent))
  await eventually(() => expect(sent.length).toBeGreaterThanOrEqual(KILL_AFTER_ORDERS), { deadlineMs: 60_000, pauseMs: 1 })
  await stack.kill()
  await Promise.all(shoppers)
  const paidBefore = sent.filter(({ isPaid }) => isPaid)
  expect(paidBefore.length).toBeGreaterThan(0)

  await stack.start()
  const merchant = connectMerchant(stack.description, shop.merchant.credentials)
  for (const { order, answer, isPaid } of sent) {
    if (answer) await wasKept(merchant, order, answer, isPaid)
    else await merchant.gateway.orders.create(order)
  }
  for (const { order } of sent) await hasEveryWebhook(merchant, order)
}, 300_000)

async function wasKept(merchant: Merchant, order: NewOrder, answer: CreatedOrder, isPaid: boolean): Promise<void> {
  await eventually(
    async () => {
      const { transaction } = await merchant.search(order.order_id)
      expect(transaction.id).toBe(answer.transaction.id)
      if (isPaid) expect(transaction).toMatchObject({ status: 'Success', reversals: [] })
    },
    { deadlineMs: 40_000, pauseMs: 100 },
  )
}

/** Each status was told and acknowledged; what was told twice was told the same. */
async function hasEveryWebhook(merchant: Merchant, { order_id: orderId }: NewOrder): Promise<void> {
  await eventually(
    async () => {
      const { transaction } = await merchant.search(orderId)
      const attempts = shop.attemptsFor(orderId)
      const told = new Set(attempts.filter(({ status }) => status === 200).map(({ sequence }) => sequence))
      expect([...told].sort()).toEqual(Array.from({ length: transaction.sequence }, (_, index) => index + 1))
      expect(new Set(attempts.map(({ id, body }) => `${id} ${body}`)).size).toBe(transaction.sequence)
      expect(attempts.every(({ isAuthentic }) => isAuthentic)).toBe(true)
    },
    { deadlineMs: 40_000, pauseMs: 100 },
  )
}

// Proves: faults/logs-hold-no-personal-data
test('no log holds anything private, after faults either', async () => {
  const { credentials } = shop.merchant
  const token = await shop.merchant.gateway.token()
  expect(findLeaks(stack.logs(), [credentials.key_secret, token, shop.signingSecret, 'Asha'])).toEqual([])
})
