/** Runs one payment of the demo, from its order to its last webhook, as a merchant's program. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isFinal, type NewOrder, type Order, type Refund } from '@gateway/sdk'
import { anOrder, eventually } from '@gateway/testkit'
import { refusalOf, type UpiApp } from '../support/merchant.ts'
import type { MerchantSite } from '../support/merchant-site.ts'
import type { Evidence, SentOrder } from './check.ts'
import type { ExpectedRefund, Scenario } from './scenarios.ts'
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
  site.refuseFirst(request.order_id, scenario.refusals)
  const created = await site.merchant.gateway.orders.create(request)
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
    eventually(async () => {
      const { transaction } = await site.merchant.search(orderId)
      if (transaction.status !== status) throw new Error(`the transaction is ${transaction.status}, expected ${status}`)
    }, POLLING)
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
  const { items } = await site.merchant.gateway.deliveries.list({ order_id: orderId }).page()
  return {
    order,
    search: await site.merchant.search(orderId),
    webhooks: site.attemptsFor(orderId),
    deliveries: items.filter(({ channel }) => channel === 'payment'),
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

/** The merchant's refunds of a paid order, one after another. Rejects when a refund gets an unexpected answer or stays pending. */
async function runRefunds({ name, refunds = [] }: Scenario, { site, timeline }: ScenarioContext, orderId: string): Promise<void> {
  for (const [index, { amount, ends }] of refunds.entries()) {
    const refundId = `RF-${index + 1}`
    const say = (detail: string) => timeline({ payment: name, what: 'refund', detail: `${refundId}  ${amount}  ${detail}` })
    const asking = site.merchant.gateway.refunds.create({ order_id: orderId, refund_id: refundId, amount, reason: 'returned' })
    if (ends === 'refund_exceeds_captured') {
      const { code, message } = await refusalOf(asking)
      if (code !== ends) throw new Error(`the refund was refused with ${code}: ${message}`)
      say(`refused: ${message}`)
    } else {
      const { id } = await asking
      say(`accepted as ${id}`)
      const { status, failure_code } = await untilEnded(site, id)
      say(failure_code === null ? status : `${status} (${failure_code})`)
    }
  }
  await eventually(() => requireWebhooks(site, orderId, refunds), { deadlineMs: 30_000 })
  for (const { payload, isAuthentic } of site.refundWebhooksFor(orderId)) {
    const detail = `${payload.data.refund_id}  ${payload.type}  signature ${isAuthentic ? 'ok' : 'WRONG'}`
    timeline({ payment: name, what: 'webhook', detail, tone: isAuthentic ? 'good' : 'bad' })
  }
}

function untilEnded({ merchant }: MerchantSite, id: string): Promise<Refund> {
  return eventually(
    async () => {
      const refund = await merchant.gateway.refunds.find(id)
      if (!refund || refund.status === 'pending') throw new Error(`the refund ${id} is pending`)
      return refund
    },
    { deadlineMs: 30_000, pauseMs: 100 },
  )
}

/** Each accepted refund has two webhooks: pending, and its final status. */
function requireWebhooks(site: MerchantSite, orderId: string, refunds: readonly ExpectedRefund[]): void {
  const expected = 2 * refunds.filter(({ ends }) => ends !== 'refund_exceeds_captured').length
  const { length } = site.refundWebhooksFor(orderId)
  if (length < expected) throw new Error(`${length} webhooks of refunds arrived, expected ${expected}`)
}
