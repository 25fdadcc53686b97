/** Which card scheme a number belongs to. */

interface Range {
  readonly scheme: string
  /** First and last prefix, of the same length. */
  readonly from: string
  readonly to: string
  /** How many digits its numbers have, at least and at most. */
  readonly min: number
  readonly max: number
}

/**
 * Number ranges of the schemes that are issued or taken in India, from their public tables (ISO/IEC 7812 issuer identification
 * numbers; NPCI for RuPay). Wide on purpose: a range too many costs a false alarm at worst, one too few hides a number.
 */
const RANGES: readonly Range[] = [
  { scheme: 'amex', from: '34', to: '34', min: 15, max: 15 },
  { scheme: 'amex', from: '37', to: '37', min: 15, max: 15 },
  { scheme: 'diners', from: '300', to: '305', min: 14, max: 19 },
  { scheme: 'diners', from: '3095', to: '3095', min: 14, max: 19 },
  { scheme: 'diners', from: '36', to: '36', min: 14, max: 19 },
  { scheme: 'diners', from: '38', to: '39', min: 14, max: 19 },
  { scheme: 'jcb', from: '3528', to: '3589', min: 16, max: 19 },
  { scheme: 'visa', from: '4', to: '4', min: 16, max: 16 },
  { scheme: 'visa', from: '4', to: '4', min: 13, max: 13 },
  { scheme: 'visa', from: '4', to: '4', min: 19, max: 19 },
  { scheme: 'mastercard', from: '51', to: '55', min: 16, max: 16 },
  { scheme: 'mastercard', from: '2221', to: '2720', min: 16, max: 16 },
  { scheme: 'rupay', from: '508', to: '508', min: 16, max: 16 },
  { scheme: 'rupay', from: '60', to: '60', min: 16, max: 16 },
  { scheme: 'rupay', from: '65', to: '65', min: 16, max: 16 },
  { scheme: 'rupay', from: '81', to: '82', min: 16, max: 19 },
  { scheme: 'unionpay', from: '62', to: '62', min: 16, max: 19 },
  { scheme: 'discover', from: '64', to: '65', min: 16, max: 19 },
  { scheme: 'maestro', from: '50', to: '50', min: 13, max: 19 },
  { scheme: 'maestro', from: '56', to: '69', min: 13, max: 19 },
]

/** The scheme whose numbers begin like this and have this many digits; `undefined` when there is none. */
export function schemeOf(digits: string): string | undefined {
  return RANGES.find(({ from, to, min, max }) => {
    const prefix = digits.slice(0, from.length)
    return prefix >= from && prefix <= to && digits.length >= min && digits.length <= max
  })?.scheme
}
