import type { KeyObject } from 'node:crypto'
import { checkoutUrl } from './checkout-link.ts'
import type { CheckoutLinks } from './http/create-order.ts'

/** The fields of an order that its checkout links need. */
export interface LinkedOrder {
  readonly transactionId: string
  /** The UPI link; empty when the order cannot be paid by UPI. */
  readonly intent: string
}

export type LinksOf = (order: LinkedOrder) => CheckoutLinks

/** Makes `checkout.url` and `checkout.intent` of an order; the same order always gets the same links (design, section 5). */
export function makeCheckoutLinks({ publicUrl, key }: { publicUrl: string; key: KeyObject }): LinksOf {
  return ({ transactionId, intent }) => ({ url: checkoutUrl(publicUrl, transactionId, key), intent })
}
