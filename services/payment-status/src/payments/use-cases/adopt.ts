import { Refused, type CustomerView, type InternalOrder, type OrderCreated } from '@gateway/contracts'
import type { OrderApi } from '../clients/order-api.ts'
import { openTransaction } from '../domain/transition.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Transactions } from '../persistence/transactions.ts'

/** Finds a transaction, and opens it from order-api's order when its event has not arrived yet (design, section 3.5). */
export interface Adopt {
  /**
   * Opens the transaction of an order; the same order again changes nothing. `undefined` when another transaction has its order
   * id, which only the restore of one of two databases can cause (docs/operations/backup-and-restore.md).
   */
  order(created: OrderCreated): Promise<Transaction | undefined>
  /** `undefined` when order-api does not know the order either. Throws `Unavailable` when order-api cannot be asked. */
  byId(transactionId: string): Promise<Transaction | undefined>
  /** The same by the merchant's own order id. */
  byOrder(merchantId: string, orderId: string): Promise<Transaction | undefined>
}

interface Dependencies {
  readonly transactions: Pick<Transactions, 'open' | 'openForCaller' | 'findSoon' | 'findSoonByOrder'>
  readonly orders: Pick<OrderApi, 'byTransaction' | 'byOrderId'>
}

export function makeAdopt({ transactions, orders }: Dependencies): Adopt {
  const openFetched = (created: InternalOrder | undefined) => created && transactions.openForCaller(openTransaction(created))
  return {
    order: (created) => transactions.open(openTransaction(created)),

    async byId(transactionId) {
      const found = await transactions.findSoon(transactionId)
      return found ?? openFetched(await orders.byTransaction(transactionId))
    },

    async byOrder(merchantId, orderId) {
      const found = await transactions.findSoonByOrder(merchantId, orderId)
      return found ?? openFetched(await orders.byOrderId(merchantId, orderId))
    },
  }
}

/** The merchant's confirmation (specification, section 4.2). Throws `order_not_found`, also for another merchant's order. */
export type SearchOrder = (merchantId: string, orderId: string) => Promise<{ transaction: Transaction; customer: CustomerView }>

export function makeSearchOrder(adopt: Pick<Adopt, 'byOrder'>, orders: Pick<OrderApi, 'customerOf'>): SearchOrder {
  return async (merchantId, orderId) => {
    const transaction = await adopt.byOrder(merchantId, orderId)
    if (!transaction) throw new Refused('order_not_found', 'There is no order with this order_id')
    return { transaction, customer: await orders.customerOf(transaction.id) }
  }
}
