/** Decides whether a payment of the demo went as specified, from everything that the merchant saw of it. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { formatPaise, parseAmount } from '@gateway/contracts'
import type { Delivery, Order } from '@gateway/sdk'
import type { RefundWebhook, WebhookAttempt } from '../support/merchant-site.ts'
import type { Scenario } from './scenarios.ts'

/** The order as the merchant created it. */
export interface SentOrder {
  readonly orderId: string
  readonly transactionId: string
  readonly metadata: { readonly udf1: string; readonly udf2: string; readonly udf3: string }
}

type LoggedDelivery = Pick<Delivery, 'sequence' | 'status'> & {
  readonly attempts: readonly Pick<Delivery['attempts'][number], 'status_code'>[]
}

export interface Evidence {
  readonly order: SentOrder
  readonly search: Pick<Order, 'transaction' | 'checkout'>
  /** In order of arrival. */
  readonly webhooks: readonly WebhookAttempt[]
  /** Webhooks of the payment, without those of its refunds. */
  readonly deliveries: readonly LoggedDelivery[]
  /** In order of arrival. */
  readonly refundWebhooks: readonly RefundWebhook[]
}

/** Notes a problem, in words, when the two values differ. */
type ExpectSame = (what: string, actual: unknown, expected: unknown) => void

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

function checkRefunds(
  { amount, refunds = [], expected }: Scenario,
  { search, refundWebhooks }: Evidence,
  expectSame: ExpectSame,
): void {
  const accepted = refunds.filter(({ ends }) => ends !== 'refund_exceeds_captured')
  const { transaction } = search
  const seen = transaction.refunds.map(({ amount: refunded, status }) => ({ amount: refunded, ends: status }))
  expectSame('search, refunds', seen, accepted)
  const refunded = accepted
    .filter(({ ends }) => ends === 'succeeded')
    .reduce((sum, refund) => sum + (parseAmount(refund.amount) ?? 0), 0)
  const captured = expected.statuses.at(-1) === 'Success' ? (parseAmount(amount) ?? 0) : 0
  expectSame('search, amount_refunded', transaction.amount_refunded, formatPaise(refunded))
  expectSame('search, amount_refundable', transaction.amount_refundable, formatPaise(captured - refunded))

  expectSame('webhooks of refunds', refundWebhooks.length, 2 * accepted.length)
  expectSame(
    'webhooks of refunds, signatures',
    [...new Set(refundWebhooks.map(({ isAuthentic }) => isAuthentic))],
    accepted.length > 0 ? [true] : [],
  )
  for (const refund of transaction.refunds) {
    const webhooks = refundWebhooks.map(({ payload }) => payload).filter(({ data }) => data.id === refund.id)
    const what = `refund ${refund.refund_id}`
    expectSame(
      `${what}, webhooks`,
      webhooks.map(({ type }) => type).toSorted(),
      [`refund.${refund.status}`, 'refund.pending'].toSorted(),
    )
    expectSame(`${what}, body of the last webhook`, webhooks.find(({ data }) => data.sequence === refund.sequence)?.data, refund)
  }
}
