import { isFinal } from '@gateway/contracts'
import type { OrderApi } from '../clients/order-api.ts'
import type { Transaction } from '../domain/transaction.ts'

/** A transaction with the UPI link that `order-api` has stored for its order. Only views use it; it is never saved. */
export type WithStoredIntent = (
  transaction: Transaction,
) => Promise<Transaction & { readonly order: { readonly intent: string } }>

/** Asks only while the link is shown. Without an answer the view has no link: a link that is built here would differ from the order's. */
export function makeWithStoredIntent(orders: Pick<OrderApi, 'intentOf'>): WithStoredIntent {
  return async (transaction) => {
    const { order, id, status, closing } = transaction
    const isShown = order.methods.includes('upi') && !isFinal(status) && !closing
    return { ...transaction, order: { ...order, intent: isShown ? await orders.intentOf(id) : '' } }
  }
}
