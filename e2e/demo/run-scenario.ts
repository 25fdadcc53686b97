/** Runs one payment of the demo, from its order to its last webhook, as a merchant's program. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isFinal, type CreatedOrder, type Delivery, type NewOrder, type Order } from '@gateway/sdk'
import { anOrder, eventually } from '@gateway/testkit'
import type { Merchant } from '../support/merchant.ts'
import type { MerchantSite } from '../support/merchant-site.ts'
import type { UpiApp } from '../support/upi-app.ts'
import type { Evidence, SentOrder } from './evidence.ts'
import { runRefunds } from './run-refunds.ts'
import type { Scenario } from './scenarios.ts'
import { describeSearch, type Timeline } from './timeline.ts'

export interface ScenarioContext {
  readonly site: MerchantSite
  readonly app: UpiApp
  readonly timeline: Timeline
  /** Different for every run of the demo. */
  readonly run: string
}

const POLL_MS = 200
const ENDS_WITHIN_MS = 40_000
const POLLING = { deadlineMs: ENDS_WITHIN_MS, pauseMs: POLL_MS }

/** Resolves to everything that the merchant saw, for `findProblems`. Throws when a call is refused. */
export async function runScenario(scenario: Scenario, context: ScenarioContext): Promise<Evidence> {
  const { site, app, timeline } = context
  const request = orderFor(scenario, context.run)
  const created = await create(site, request, scenario)
  const { order_id: orderId } = created.order
  const { id: transactionId, amount, currency } = created.transaction
  const limit = scenario.expiresInSeconds === undefined ? '' : `  expires in ${scenario.expiresInSeconds} s`
  timeline({ payment: scenario.name, what: 'order', detail: `${orderId.padEnd(21)}  ${amount.padStart(7)} ${currency}${limit}` })

  if (scenario.vpa !== undefined) {
    const { status, body } = await app.pay(created.checkout.intent, scenario.vpa)
    if (status !== 202) throw new Error(`the UPI app was refused: ${status} ${JSON.stringify(body)}`)
    timeline({ payment: scenario.name, what: 'upi app', detail: `pays as ${scenario.vpa}` })
  }
  if (scenario.method !== undefined) {
    await site.merchant.gateway.sandbox.simulate({ order_id: orderId, outcome: 'success', method: scenario.method })
    timeline({ payment: scenario.name, what: 'network', detail: `pays by ${scenario.method}` })
  }
  const waitForStatus = (status: string) =>
    eventually(async () => requireStatus(await site.merchant.search(orderId), status), POLLING)
  await scenario.afterwards?.({ app, transactionId, intent: created.checkout.intent, waitForStatus })
  await followUntilSettled(scenario, context, orderId)
  await runRefunds(scenario, context, orderId)
  const { udf1 = '', udf2 = '', udf3 = '' } = request
  return readEvidence({ orderId, transactionId, metadata: { udf1, udf2, udf3 } }, site)
}

/** Reads the evidence again, with what happened since. */
export function refreshEvidence({ order }: Evidence, site: MerchantSite): Promise<Evidence> {
  return readEvidence(order, site)
}

async function readEvidence(order: SentOrder, site: MerchantSite): Promise<Evidence> {
  const { orderId } = order
  return {
    order,
    search: await site.merchant.search(orderId),
    webhooks: site.attemptsFor(orderId),
    deliveries: await readDeliveries(site.merchant, orderId),
    refundWebhooks: site.refundWebhooksFor(orderId),
  }
}

/** The order of a scenario in one run of the demo. */
export function orderIdOf({ name }: Pick<Scenario, 'name'>, run: string): string {
  return `DEMO-${run}-${name}`
}

function orderFor({ name, amount, expiresInSeconds }: Scenario, run: string): NewOrder {
  return anOrder({
    order_id: orderIdOf({ name }, run),
    amount,
    description: `Demo: ${name}`,
    udf1: run,
    udf3: name,
    ...(expiresInSeconds !== undefined && { expires_in: expiresInSeconds }),
  })
}

async function create(site: MerchantSite, request: NewOrder, { refusals }: Scenario): Promise<CreatedOrder> {
  site.refuseFirst(request.order_id, refusals)
  return site.merchant.gateway.orders.create(request)
}

/** Prints each change that a search shows. Ends when the payment and its webhooks are complete, or at the deadline. */
async function followUntilSettled(scenario: Scenario, { site, timeline }: ScenarioContext, orderId: string): Promise<void> {
  const endsAt = performance.now() + ENDS_WITHIN_MS
  let shown = ''
  for (;;) {
    const search = await site.merchant.search(orderId)
    const summary = describeSearch(search)
    if (summary !== shown) timeline({ payment: scenario.name, what: 'search', detail: summary })
    shown = summary
    if (isSettled(scenario, search, site, orderId) || performance.now() > endsAt) return
    await sleep(POLL_MS)
  }
}

function isSettled({ expected }: Scenario, order: Order, site: MerchantSite, orderId: string): boolean {
  const { reversals } = order.transaction
  const acknowledged = site.attemptsFor(orderId).filter((attempt) => attempt.status === 200)
  const isReversed = expected.reversal === null || reversals.some((reversal) => reversal.status !== 'pending')
  return isFinal(order) && isReversed && acknowledged.length >= expected.statuses.length
}

async function readDeliveries({ gateway }: Merchant, orderId: string): Promise<readonly Delivery[]> {
  const { items } = await gateway.deliveries.list({ order_id: orderId }).page()
  return items.filter(({ channel }) => channel === 'payment')
}

function requireStatus({ transaction }: Order, status: string): void {
  if (transaction.status !== status) throw new Error(`the transaction is ${transaction.status}, expected ${status}`)
}
