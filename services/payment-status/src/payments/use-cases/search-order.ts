import { Refused, type CustomerView } from '@gateway/contracts'
import type { OrderApi } from '../clients/order-api.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Adopt } from './adopt.ts'

/** The merchant's confirmation (specification, section 4.2). Throws `order_not_found`, also for another merchant's order. */
export type SearchOrder = (merchantId: string, orderId: string) => Promise<{ transaction: Transaction; customer: CustomerView }>

export function makeSearchOrder(dependencies: {
  adopt: Pick<Adopt, 'byOrder'>
  orders: Pick<OrderApi, 'customerOf'>
}): SearchOrder {
  const { adopt, orders } = dependencies
  return async (merchantId, orderId) => {
    const transaction = await adopt.byOrder(merchantId, orderId)
    if (!transaction) throw new Refused('order_not_found', 'There is no order with this order_id')
    return { transaction, customer: await orders.customerOf(transaction.id) }
  }
}
