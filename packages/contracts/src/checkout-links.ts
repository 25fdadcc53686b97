import type { KeyObject } from 'node:crypto'
import { checkoutUrl } from './checkout-link.ts'
import type { CheckoutLinks } from './http/create-order.ts'
import { formatPaise } from './money.ts'
import type { OrderTexts } from './order-texts.ts'
import type { OrderMethod } from './transaction.ts'
import { buildUpiIntent, type IntentSigner } from './upi-intent.ts'

/** The fields of an order that its checkout links need. */
export interface PayableOrder {
  readonly transactionId: string
  readonly orderId: string
  readonly merchant: { readonly name: string; readonly vpa: string; readonly mcc: string }
  readonly amountPaise: number
  readonly texts: Pick<OrderTexts, 'description'>
  readonly methods: readonly OrderMethod[]
  /** The link that was minted or signed for the order; without it the link is built here. */
  readonly intent?: string | undefined
}

/** Makes `checkout.url` and `checkout.intent` of an order; the same order always gets the same links (design, section 5). */
export function makeCheckoutLinks(options: {
  /** The gateway's address as shoppers see it. */
  publicUrl: string
  key: KeyObject
}): (order: PayableOrder) => CheckoutLinks {
  return (order) => ({
    url: checkoutUrl(options.publicUrl, order.transactionId, options.key),
    intent: order.intent ?? localIntent(order),
  })
}

/** The link of an order as the gateway builds it, signed when there is a signer; empty without UPI. */
export function localIntent(order: PayableOrder, signer?: IntentSigner): string {
  return order.methods.includes('upi') ? buildUpiIntent(toIntent(order), signer) : ''
}

function toIntent({ transactionId, orderId, merchant, amountPaise, texts }: PayableOrder) {
  return {
    payeeVpa: merchant.vpa,
    payeeName: merchant.name,
    mcc: merchant.mcc,
    transactionId,
    amount: formatPaise(amountPaise),
    note: noteOf({ texts, orderId }),
  }
}

/** What the payer sees of an order. */
export function noteOf({ texts, orderId }: Pick<PayableOrder, 'texts' | 'orderId'>): string {
  return texts.description || orderId
}
