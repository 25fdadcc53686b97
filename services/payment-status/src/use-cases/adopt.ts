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
   * as it can only be after one of two databases was restored (docs/operations/backup-and-restore.md). Throws when it was
   * refused and no such transaction is seen: again may help.
   */
  order(created: OrderCreated): Promise<Transaction | undefined>
  byId(transactionId: string): Promise<Transaction | undefined>
  byOrder(merchantId: string, orderId: string): Promise<Transaction | undefined>
}

interface Dependencies {
  readonly transactions: Pick<Transactions, 'find' | 'findByOrder' | 'insert'>
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
    const { id, order: wanted } = decision.transaction
    const known = (await transactions.find(id)) ?? (await transactions.findByOrder(wanted.merchant.id, wanted.orderId))
    // Nothing is said of what cannot be seen: a message that is given up does not come back.
    if (!known) throw new Error(`transaction ${id} is refused as a duplicate and cannot be found`)
    return known.id === id ? known : undefined
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
