import { buildUpiIntent, formatPaise, parseAmount, type IntentSigner } from '@gateway/contracts'
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

/**
 * The largest UPI payment, in paise: NPCI caps most merchants at 1 lakh rupees and allows some categories more.
 * Written as `100000.00,8062=500000.00`: the general cap, then those of merchant category codes.
 */
export interface UpiCap {
  readonly defaultPaise: number
  readonly byMcc: ReadonlyMap<string, number>
}

/** Reads the notation above; `undefined` when the text does not follow it. */
export function parseUpiCap(text: string): UpiCap | undefined {
  const [first = '', ...rest] = text.split(',').map((part) => part.trim())
  const defaultPaise = parseAmount(first)
  if (defaultPaise === undefined) return undefined
  const byMcc = new Map<string, number>()
  for (const part of rest) {
    const [, mcc, amount] = /^(\d{4})=(.+)$/u.exec(part) ?? []
    const capPaise = parseAmount(amount ?? '')
    if (mcc === undefined || capPaise === undefined) return undefined
    byMcc.set(mcc, capPaise)
  }
  return { defaultPaise, byMcc }
}

/** Whether UPI takes an amount from a merchant of this category. */
export function isWithinUpiCap(amountPaise: number, mcc: string, cap: UpiCap): boolean {
  return amountPaise <= (cap.byMcc.get(mcc) ?? cap.defaultPaise)
}
