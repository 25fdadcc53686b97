import { buildUpiIntent, formatPaise, type IntentSigner } from '@gateway/contracts'
import type { OrderDraft } from './order.ts'

/** The UPI link of an order as the gateway builds it, signed when there is a signer; empty without UPI. */
export function buildLink(order: OrderDraft, signer?: IntentSigner): string {
  if (!order.methods.includes('upi')) return ''
  const { transactionId, merchant, amountPaise } = order
  const payee = { payeeVpa: merchant.vpa, payeeName: merchant.name, mcc: merchant.mcc }
  return buildUpiIntent({ ...payee, transactionId, amount: formatPaise(amountPaise), note: noteOf(order) }, signer)
}

/** What the payer sees of an order. */
export function noteOf({ texts, orderId }: Pick<OrderDraft, 'texts' | 'orderId'>): string {
  return texts.description || orderId
}
