/** Compares a payment's refunds, in search and in webhooks, with what its scenario expects. Pure. */
import { formatPaise, parseAmount } from '@gateway/contracts'
import type { Evidence, ExpectSame } from './evidence.ts'
import type { ExpectedRefund, Scenario } from './scenarios.ts'

export function checkRefunds(
  { amount, refunds = [], expected }: Scenario,
  { search, refundWebhooks }: Evidence,
  expectSame: ExpectSame,
): void {
  const accepted = refunds.filter(({ ends }) => ends !== 'refund_exceeds_captured')
  const { transaction } = search
  const seen = transaction.refunds.map(({ amount: refunded, status }) => ({ amount: refunded, ends: status }))
  expectSame('search, refunds', seen, accepted)
  const refunded = sumOf(accepted.filter(({ ends }) => ends === 'succeeded'))
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

function sumOf(refunds: readonly ExpectedRefund[]): number {
  return refunds.reduce((sum, { amount }) => sum + (parseAmount(amount) ?? 0), 0)
}
