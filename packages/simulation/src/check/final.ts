import { formatPaise, formatRefundId } from '@gateway/contracts'
import { isAtRest } from './at-rest.ts'
import type { History, NetworkPayment, ShownRefund, StoredChange } from './history.ts'
import { unacknowledged, unacknowledgedRefunds } from './unacknowledged.ts'
import type { SimulatedWorld } from '../world.ts'

interface StoredRefund {
  readonly n: number
  readonly refundId: string
  readonly amountPaise: number
  readonly status: string
  readonly sequence: number
}

interface StoredTransaction {
  readonly _id: string
  readonly status: string
  readonly order: { readonly orderId: string; readonly merchant: { readonly id: string } }
  readonly sequence: number
  readonly refunds?: readonly StoredRefund[]
}

/** What the clients saw, and what is stored now. */
export function finalHistory({ merchants, receiver, database, bank }: SimulatedWorld): History {
  const documents = database.dump('payment_status', 'transactions')
  const transactions = documents.map(transactionOf)
  const changes = transactions.flatMap(({ _id: transaction, status, sequence: last }) =>
    Array.from({ length: last }, (_, index): StoredChange => ({
      transaction,
      sequence: index + 1,
      ...(index + 1 === last && { status }),
    })),
  )
  const payments = bank.payments.map(({ report, reversedBy }): NetworkPayment => {
    const { tr: transaction, reference, outcome, amount } = report
    return { transaction, reference, outcome, amount, reversal: reversedBy.size > 0 ? 'succeeded' : null }
  })
  const networkRefunds = bank.payments.flatMap(({ report, refunds }) =>
    [...refunds].map(([id, paise]) => ({ transaction: report.tr, id, amount: formatPaise(paise), status: 'succeeded' })),
  )
  const { webhooks, refundWebhooks } = receiver
  const refunds = transactions.flatMap(refundsOf)
  return { operations: merchants.operations, webhooks, refundWebhooks, changes, payments, refunds, networkRefunds, gaps: [] }
}

/** True when nothing is left to do: every order is final, every webhook acknowledged, every outbox and queue empty. */
export function isQuiet(world: SimulatedWorld): boolean {
  if (!isAtRest(world)) return false
  const history = finalHistory(world)
  return unacknowledged(history).length + unacknowledgedRefunds(history).length === 0
}

function transactionOf(document: object): StoredTransaction {
  return document as StoredTransaction
}

function refundsOf({ _id: transaction, order, refunds = [] }: StoredTransaction): ShownRefund[] {
  const key = `${order.merchant.id}/${order.orderId}`
  return refunds.map(({ n, refundId, amountPaise, status, sequence }) => ({
    ...{ order: key, transaction, id: formatRefundId(transaction, n), refundId },
    ...{ amount: formatPaise(amountPaise), status, sequence },
  }))
}
