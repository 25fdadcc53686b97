import { parseAmount } from '@gateway/contracts'
import type { TruePayment } from '../actors/network.ts'
import type { AskedRefund } from '../actors/merchants.ts'

/** S6 in the network's books: no money goes back twice, refunds never exceed their capture, and every accepted refund is done once. */
export function checkMoney(
  payments: readonly TruePayment[],
  refunds: readonly AskedRefund[],
  paiseOf: (amount: string) => number,
): string[] {
  const done = new Map<string, number>()
  const problems = payments.flatMap(({ report, reversedBy, refunds: paid, capturedAtMs }) => {
    for (const id of paid.keys()) done.set(id, (done.get(id) ?? 0) + 1)
    const sum = [...paid.values()].reduce((total, paise) => total + paise, 0)
    return [
      ...(reversedBy.size > 1 ? [`${report.reference} was reversed under ${[...reversedBy].join(' and ')}`] : []),
      ...(capturedAtMs !== undefined && sum > paiseOf(report.amount)
        ? [`${sum} of ${report.amount} was refunded for ${report.tr}`]
        : []),
      ...(reversedBy.size > 0 && sum > 0 ? [`${report.reference} was reversed and refunded`] : []),
    ]
  })
  const lost = refunds.filter(({ id }) => id !== undefined && done.get(id) !== 1)
  return [
    ...problems,
    ...lost.map(({ id, refundId }) => `the refund ${refundId} (${id ?? ''}) was done ${done.get(id ?? '') ?? 0} times`),
  ]
}

export function paiseOf(amount: string): number {
  return parseAmount(amount) ?? 0
}
