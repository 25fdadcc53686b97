/** Decides whether a payment of the demo went as specified, from everything that the merchant saw of it. Pure. */
import { isDeepStrictEqual } from 'node:util'
import type { WebhookAttempt } from '../support/merchant-site.ts'
import { checkRefunds } from './check-refunds.ts'
import type { Evidence, ExpectSame } from './evidence.ts'
import type { Scenario } from './scenarios.ts'

const IST_PATTERN = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/u

/** Every difference from the specification, in words; empty when there is none. */
export function findProblems(scenario: Scenario, evidence: Evidence): string[] {
  const problems: string[] = []
  const expectSame = (what: string, actual: unknown, expected: unknown): void => {
    if (isDeepStrictEqual(actual, expected)) return
    problems.push(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`)
  }
  checkSearch(scenario, evidence, expectSame)
  checkDeliveries(scenario, evidence, expectSame)
  checkRefunds(scenario, evidence, expectSame)
  for (const webhook of evidence.webhooks) checkWebhook(webhook, scenario, evidence, expectSame)
  return problems
}

function checkSearch({ amount, expected }: Scenario, { order, search }: Evidence, expectSame: ExpectSame): void {
  const { transaction } = search
  expectSame('search, id', transaction.id, order.transactionId)
  expectSame('search, status', transaction.status, expected.statuses.at(-1))
  expectSame('search, amount', transaction.amount, amount)
  expectSame('search, failure_reason', transaction.failure_reason, expected.failureReason)
  expectSame('search, sequence', transaction.sequence, expected.statuses.length)
  expectSame('search, checkout', search.checkout, null)
  const reversals = transaction.reversals.map(({ reason, status, amount: reversed }) => ({ reason, amount: reversed, status }))
  expectSame('search, reversals', reversals, expected.reversal === null ? [] : [{ ...expected.reversal, status: 'succeeded' }])
}

function checkDeliveries({ expected, refusals }: Scenario, { webhooks, deliveries }: Evidence, expectSame: ExpectSame): void {
  expected.statuses.forEach((status, index) => {
    const sequence = index + 1
    const attempts = webhooks.filter((webhook) => webhook.sequence === sequence)
    const codes = [...Array<number>(refusals).fill(500), 200]
    expectSame(`webhook ${sequence}, status`, [...new Set(attempts.map(({ payload }) => payload.status))], [status])
    expectSame(
      `webhook ${sequence}, attempts`,
      attempts.map(({ attempt }) => attempt),
      codes.map((_, at) => at + 1),
    )
    expectSame(`webhook ${sequence}, bodies sent`, new Set(attempts.map(({ body }) => body)).size, 1)
    expectSame(`webhook ${sequence}, ids`, new Set(attempts.map(({ id }) => id)).size, 1)
    const logged = deliveries.find((delivery) => delivery.sequence === sequence)
    expectSame(`delivery log ${sequence}, status`, logged?.status, 'delivered')
    expectSame(
      `delivery log ${sequence}, answers`,
      logged?.attempts.map(({ status_code }) => status_code),
      codes,
    )
  })
  expectSame('webhooks', new Set(webhooks.map(({ id }) => id)).size, expected.statuses.length)
  expectSame('delivery log', deliveries.length, expected.statuses.length)
}

function checkWebhook(webhook: WebhookAttempt, { amount }: Scenario, { order, search }: Evidence, expectSame: ExpectSame): void {
  const { payload, sequence, attempt } = webhook
  const what = `webhook ${sequence}, attempt ${attempt}`
  const { rrn, payer } = search.transaction
  // `Pending` and `Failed` have the payer and the rrn when the network has sent them by then.
  const mayHave = payload.status !== 'Initiate'
  const hasPayer = (payload.status === 'Success' && payer !== null) || (mayHave && payload.payee !== undefined)
  const hasRrn = payload.status === 'Success' || (mayHave && payload.rrn !== '')
  expectSame(`${what}, signature`, webhook.isAuthentic, true)
  expectSame(`${what}, datetime in IST`, IST_PATTERN.test(payload.datetime), true)
  expectSame(`${what}, body`, payload, {
    txnid: order.transactionId,
    merchantTxnId: order.orderId,
    amount,
    rrn: hasRrn ? rrn : '',
    status: payload.status,
    ...(hasPayer && { payee: payer }),
    metadata: order.metadata,
    datetime: payload.datetime,
  })
}
