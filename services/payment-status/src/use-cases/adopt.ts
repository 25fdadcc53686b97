import { orderKey, type OrderCreated } from '@gateway/contracts'
import { openTransaction } from '../domain/opening.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Orders } from '../network/order-api.ts'
import type { RecentTransactions } from '../persistence/recent-transactions.ts'
import { eventLeaves } from './event-leaves.ts'
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
  readonly transactions: Pick<RecentTransactions, 'find' | 'findByOrder' | 'insert' | 'arrival'>
  readonly orders: Orders
  readonly logChanges: LogChanges
}

export function makeAdopt({ transactions, orders, logChanges }: Dependencies): Adopt {
  async function open(created: OrderCreated, urgent: boolean): Promise<Transaction | undefined> {
    const decision = openTransaction(created)
    if (await transactions.insert(decision, { urgent })) {
      logChanges(decision)
      await eventLeaves()
      return decision.transaction
    }
    const { id, order: wanted } = decision.transaction
    const known = (await transactions.find(id)) ?? (await transactions.findByOrder(wanted.merchant.id, wanted.orderId))
    // Nothing is said of what cannot be seen: a message that is given up does not come back.
    if (!known) throw new Error(`transaction ${id} is refused as a duplicate and cannot be found`)
    return known.id === id ? known : undefined
  }

  /**
   * Whoever asks for an order right after its creation is mostly faster than its event. Fetching and inserting it here costs
   * several times what it costs to wait for the event, which is on its way, and to look again.
   */
  async function findSoon(
    key: string,
    find: () => Promise<Transaction | undefined>,
    fetch: () => Promise<OrderCreated | undefined>,
  ): Promise<Transaction | undefined> {
    const found = (await find()) ?? (await transactions.arrival(key)) ?? (await find())
    if (found) return found
    const created = await fetch()
    return created && open(created, true)
  }

  return {
    order: (created) => open(created, false),

    byId: (transactionId) =>
      findSoon(
        transactionId,
        () => transactions.find(transactionId),
        () => orders.byTransaction(transactionId),
      ),

    byOrder: (merchantId, orderId) =>
      findSoon(
        orderKey(merchantId, orderId),
        () => transactions.findByOrder(merchantId, orderId),
        () => orders.byOrderId(merchantId, orderId),
      ),
  }
}
