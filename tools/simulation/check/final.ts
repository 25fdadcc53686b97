import { isAtRest } from './at-rest.ts'
import type { History, NetworkPayment, StoredChange } from './history.ts'
import { unacknowledged } from './unacknowledged.ts'
import type { SimulatedWorld } from '../world.ts'

interface StoredTransaction {
  readonly _id: string
  readonly status: string
  readonly transitions?: readonly { readonly sequence: number }[]
}

/** What the clients saw, and what is stored now. */
export function finalHistory({ merchants, receiver, database, bank }: SimulatedWorld): History {
  const documents = database.dump('payment_status', 'transactions', { committed: true })
  const transactions = documents.map(transactionOf)
  const changes = transactions.flatMap(({ _id: transaction, status, transitions = [] }) =>
    transitions.map(({ sequence }, index): StoredChange => ({
      transaction,
      sequence,
      ...(index === transitions.length - 1 && { status }),
    })),
  )
  const payments = bank.payments.map(({ report, reversedBy }): NetworkPayment => {
    const { tr: transaction, reference, outcome, amount } = report
    return { transaction, reference, outcome, amount, reversal: reversedBy.size > 0 ? 'succeeded' : null }
  })
  return { operations: merchants.operations, webhooks: receiver.webhooks, changes, payments, gaps: [] }
}

/** True when nothing is left to do: every order is final, every webhook acknowledged, every outbox and queue empty. */
export function isQuiet(world: SimulatedWorld): boolean {
  if (!isAtRest(world)) return false
  const history = finalHistory(world)
  return unacknowledged(history).length === 0
}

function transactionOf(document: object): StoredTransaction {
  return document as StoredTransaction
}
