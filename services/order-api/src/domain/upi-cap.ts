import { parseAmount } from '@gateway/contracts'

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
