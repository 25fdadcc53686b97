/**
 * Card numbers of the schemes that are issued or accepted in India, from their public tables (ISO/IEC 7812 issuer identification
 * numbers; NPCI for RuPay). Wide on purpose: a range too many costs a false alarm, a missing one hides a card.
 */
const SCHEMES: readonly (readonly [scheme: string, prefix: RegExp, minDigits: number, maxDigits: number])[] = [
  ['amex', /^3[47]/u, 15, 15],
  ['diners', /^3(?:0[0-5]|095|[689])/u, 14, 19],
  ['jcb', /^35(?:2[89]|[3-8])/u, 16, 19],
  ['visa', /^4/u, 13, 13],
  ['visa', /^4/u, 16, 16],
  ['visa', /^4/u, 19, 19],
  ['mastercard', /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/u, 16, 16],
  ['rupay', /^(?:508|60|65)/u, 16, 16],
  ['rupay', /^8[12]/u, 16, 19],
  ['unionpay', /^62/u, 16, 19],
  ['discover', /^6[45]/u, 16, 19],
  ['maestro', /^(?:50|5[6-9]|6)/u, 13, 19],
]

/** The scheme whose numbers have this prefix and length; `undefined` when there is none. */
export function schemeOf(digits: string): string | undefined {
  return SCHEMES.find(([, prefix, min, max]) => digits.length >= min && digits.length <= max && prefix.test(digits))?.[0]
}
