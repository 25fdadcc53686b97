import type { OrderCreated } from '@gateway/contracts'
import { openTransaction } from '../domain/opening.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Orders } from '../network/order-api.ts'
import type { Transactions } from '../persistence/transactions.ts'
import type { LogChanges } from './log-changes.ts'

/** Finding a transaction, even one whose `order.created` has not arrived yet (design, section 3: read your writes). */
export interface Adopt {
  /**
   * From an event or a fetched order: inserted once, whoever comes first. `undefined` when another transaction has its order id,
   * as it can only be after one of two databases was restored (docs/operations/backup-and-restore.md).
   */
  order(created: OrderCreated): Promise<Transaction | undefined>
  byId(transactionId: string): Promise<Transaction | undefined>
  byOrder(merchantId: string, orderId: string): Promise<Transaction | undefined>
}

interface Dependencies {
  readonly transactions: Transactions
  readonly orders: Orders
  readonly logChanges: LogChanges
}

export function makeAdopt({ transactions, orders, logChanges }: Dependencies): Adopt {
  async function order(created: OrderCreated): Promise<Transaction | undefined> {
    const decision = openTransaction(created)
    if (await transactions.insert(decision)) {
      logChanges(decision)
      return decision.transaction
    }
    return transactions.find(decision.transaction.id)
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
