/** Amounts are integer paise in code and databases, and decimal strings of rupees in the API; never floating point. */

const AMOUNT = /^(0|[1-9]\d{0,7})(?:\.(\d{1,2}))?$/u

/** The pattern of an amount in rupees as merchants send it (design, section 5). */
export const AMOUNT_PATTERN = '^(0|[1-9]\\d{0,7})(\\.\\d{1,2})?$'

/** Rupees such as `"499"`, `"499.5"` or `"499.00"` in paise; `undefined` when the text is no amount. */
export function parseAmount(rupees: string): number | undefined {
  const match = AMOUNT.exec(rupees)
  if (!match) return undefined
  const [, whole = '0', fraction = ''] = match
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}

/** The paise of an amount whose form a schema has checked. Throws `RangeError` for any other text. */
export function paiseOf(rupees: string): number {
  const paise = parseAmount(rupees)
  if (paise === undefined) throw new RangeError('the text is no amount in rupees')
  return paise
}

/** Paise as rupees with exactly two decimals: `49900` → `"499.00"`. */
export function formatPaise(amountPaise: number | bigint): string {
  const isWhole = typeof amountPaise === 'bigint' || Number.isSafeInteger(amountPaise)
  if (!isWhole || amountPaise < 0) throw new RangeError('an amount is a whole, non-negative number of paise')
  const digits = String(amountPaise).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Rupees such as `"123456.00"` as people in India read them: `₹1,23,456.00`. */
export function formatRupees(rupees: string): string {
  const [whole = '', paise = '00'] = rupees.split('.')
  return `₹${whole.replace(/\B(?=(?:\d{2})*\d{3}$)/gu, ',')}.${paise}`
}
