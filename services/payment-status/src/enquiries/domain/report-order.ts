import { assertNever, parseAmount, type NetworkReport } from '@gateway/contracts'

/**
 * The payments of one enquiry's answer in the order in which they are applied. An answer is a set: its order says nothing, and a
 * declined payment must not end an order whose money it lists further down. Money to keep comes first, then payments that may
 * still bring some, then what ends an attempt.
 */
export function inFixedOrder(payments: readonly NetworkReport[], amountPaise: number): NetworkReport[] {
  const keyed = payments.map((report) => ({ report, rank: rankOf(report, amountPaise), text: textOf(report) }))
  return keyed.toSorted((one, other) => one.rank - other.rank || (one.text < other.text ? -1 : 1)).map(({ report }) => report)
}

function rankOf({ outcome, amount }: NetworkReport, amountPaise: number): number {
  switch (outcome) {
    case 'success':
      return parseAmount(amount) === amountPaise ? 0 : 2
    case 'pending':
      return 1
    case 'failed':
      return 3
    default:
      return assertNever(outcome)
  }
}

/** Breaks ties by the reference, then by the other fields: two answers with the same payments are applied alike. */
function textOf(report: NetworkReport): string {
  return JSON.stringify([
    report.reference,
    report.attempt_id,
    report.amount,
    report.method,
    report.rrn,
    report.payer,
    report.reason,
  ])
}
