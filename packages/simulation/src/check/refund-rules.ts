/** The rules of refunds (design, "Invariants" of refunds). Amounts are texts of rupees in the history, and paise here. */
import { parseAmount } from '@gateway/contracts'
import { unacknowledgedRefunds, type History } from './history.ts'

type Rule = (history: History) => string[]

export const REFUND_RULES: Readonly<Record<string, Rule>> = {
  'R1 refunds stay within the capture': withinTheCapture,
  'R2 one refund per key, none lost': oneRefundPerKey,
  'R3 network and gateway agree': bothAgree,
  'R4 refunds end and are told': endedAndTold,
}

interface Money {
  readonly amount: string
  readonly status: string
}

/** R1: pending and succeeded refunds are never more than the money that was kept, in the gateway's books or the network's. */
function withinTheCapture({ refunds, networkRefunds, payments }: History): string[] {
  const kept = new Map<string, number>()
  for (const { transaction, outcome, amount, reversal } of payments)
    if (outcome === 'success' && reversal === null) kept.set(transaction, (kept.get(transaction) ?? 0) + paiseOf(amount))
  const books = { gateway: refunds, network: networkRefunds } as const
  return Object.entries(books).flatMap(([book, entries]) =>
    [...Map.groupBy(entries, ({ transaction }) => transaction)].flatMap(([transaction, list]) => {
      const [given, captured] = [sumOf(list, ['pending', 'succeeded']), kept.get(transaction) ?? 0]
      return given > captured ? [`${transaction}: ${given} paise refunded of ${captured} by the ${book}`] : []
    }),
  )
}

/** R2: a merchant's refund id is one refund of its amount, and an acknowledged one exists for ever. */
function oneRefundPerKey({ operations, refunds }: History): string[] {
  const shown = new Map(refunds.map((refund) => [refund.id, refund]))
  const ids = new Map<string, string>()
  const problems = operations.flatMap(({ action, type, learnt }) => {
    if (action.f !== 'refund' || type !== 'ok' || learnt.refund === undefined) return []
    const key = `${action.order} ${action.refundId}`
    const [known, refund] = [ids.get(key) ?? learnt.refund, shown.get(learnt.refund)]
    ids.set(key, known)
    if (known !== learnt.refund) return [`${key} is ${known} and ${learnt.refund}`]
    if (!refund) return [`${key} was acknowledged and is lost (${learnt.refund})`]
    const isThis = refund.refundId === action.refundId && paiseOf(refund.amount) === paiseOf(action.amount)
    return isThis
      ? []
      : [`${learnt.refund} is ${refund.refundId} of ${refund.amount}, and ${key} of ${action.amount} was asked for`]
  })
  return [...new Set(problems)]
}

/** R3: each refund is made once at the network, for the gateway's amount, and both say how it ended. */
function bothAgree({ refunds, networkRefunds }: History): string[] {
  const theirs = Map.groupBy(networkRefunds, ({ id }) => id)
  const known = new Set(refunds.map(({ id }) => id))
  return [
    ...[...theirs.keys()].filter((id) => !known.has(id)).map((id) => `the network made ${id}, which the gateway does not know`),
    ...refunds.flatMap(({ id, amount, status }) => {
      const made = theirs.get(id) ?? []
      if (made.length > 1) return [`the network made ${id} ${made.length} times`]
      const [{ status: there, amount: given } = { status: 'nothing', amount }] = made
      return there === status && paiseOf(given) === paiseOf(amount)
        ? []
        : [`${id} is ${status} of ${amount} here, and ${there} of ${given} at the network`]
    }),
  ]
}

/** R4: no refund stays pending; each change has one body and was acknowledged by its merchant. */
function endedAndTold({ refunds, refundWebhooks }: History): string[] {
  const bodies = new Map<string, string>()
  return [
    ...refunds.filter(({ status }) => status === 'pending').map(({ id }) => `${id} is still pending`),
    ...unacknowledgedRefunds({ refunds, refundWebhooks }).map((id) => `the webhook ${id} was never acknowledged`),
    ...refundWebhooks.flatMap(({ id, body, isAuthentic }) => {
      const known = bodies.get(id) ?? body
      bodies.set(id, body)
      return [...(known === body ? [] : [`${id} came with two bodies`]), ...(isAuthentic ? [] : [`${id} has a wrong signature`])]
    }),
  ]
}

function sumOf(entries: readonly Money[], statuses: readonly string[]): number {
  return entries.filter(({ status }) => statuses.includes(status)).reduce((sum, { amount }) => sum + paiseOf(amount), 0)
}

function paiseOf(amount: string): number {
  return parseAmount(amount) ?? NaN
}
