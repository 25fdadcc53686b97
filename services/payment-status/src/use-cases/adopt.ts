import type { OrderCreated } from '@gateway/contracts'
import { openTransaction } from '../domain/opening.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Orders } from '../network/order-api.ts'
import type { Transactions } from '../persistence/transactions.ts'
import type { LogChanges } from './log-changes.ts'

/** Finding a transaction, even one whose `order.created` has not arrived yet (design, section 3: read your writes). */
export interface Adopt {
  /** From an event or a fetched order: inserted once, whoever comes first. */
  order(created: OrderCreated): Promise<Transaction>
  byId(transactionId: string): Promise<Transaction | undefined>
  byOrder(merchantId: string, orderId: string): Promise<Transaction | undefined>
}

interface Dependencies {
  readonly transactions: Transactions
  readonly orders: Orders
  readonly logChanges: LogChanges
}

export function makeAdopt({ transactions, orders, logChanges }: Dependencies): Adopt {
  async function order(created: OrderCreated): Promise<Transaction> {
    const decision = openTransaction(created)
    if (await transactions.insert(decision)) {
      logChanges(decision)
      return decision.transaction
    }
    const existing = await transactions.find(decision.transaction.id)
    if (!existing) throw new Error(`transaction ${decision.transaction.id} is refused as a duplicate and cannot be found`)
    return existing
  }

  return {
    order,

    async byId(transactionId) {
      const found = await transactions.find(transactionId)
      if (found) return found
      const created = await orders.byTransaction(transactionId)
      return created && order(created)
    },

    async byOrder(merchantId, orderId) {
      const found = await transactions.findByOrder(merchantId, orderId)
      if (found) return found
      const created = await orders.byOrderId(merchantId, orderId)
      return created && order(created)
    },
  }
}
