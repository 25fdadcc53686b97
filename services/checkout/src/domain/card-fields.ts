import { asciiDigits, hasValidCheckDigit, isIssued, isPlainText, networkOf, type CardNetwork } from '@gateway/contracts'

/**
 * Functions that read what a shopper types. The page runs them too: views/layout.ts sends their source, so that page and server
 * read alike. They may therefore use only each other and the imports above.
 */

/** Why a form field is not valid. The views hold the words for each code. */
export type FormErrorCode =
  | 'required'
  | 'number_invalid'
  | 'number_length'
  | 'expiry_format'
  | 'expired'
  | 'cvv_length'
  | 'name_invalid'
  | 'bank_unknown'
  | 'bank_down'

/** The value of a form field, or the reason why it is not valid. */
export type Read<T> = { readonly value: T } | { readonly error: FormErrorCode }

export interface Expiry {
  readonly month: string
  readonly year: string
}

/** The text with ASCII digits, without separators: removes every character that is neither a letter nor a digit. */
export function withoutSeparators(text: string): string {
  return asciiDigits(text.normalize('NFKC')).replace(/[^\p{L}\p{N}]/gu, '')
}

/**
 * Reads a card number. The network decides about a range that is not in the table: here only the count of digits (ISO/IEC 7812-1) and
 * the check digit are checked.
 */
export function readCardNumber(text: string): Read<{ digits: string; network: CardNetwork | undefined }> {
  const digits = withoutSeparators(text)
  if (digits === '') return { error: 'required' }
  if (!/^\d+$/u.test(digits)) return { error: 'number_invalid' }
  const network = networkOf(digits)
  const fits = network ? isIssued(digits) : digits.length >= 12 && digits.length <= 19
  if (!fits) return { error: 'number_length' }
  return hasValidCheckDigit(digits) ? { value: { digits, network } } : { error: 'number_invalid' }
}

/**
 * Month and year as people type them: `01/30`, `1/30`, `1-2030`, `1 / 30`, `0130`, `130`; `2030-01` as browsers fill it in.
 * `undefined` while a part is missing. The month may not exist.
 */
export function expiryParts(text: string): { month: string; year: string } | undefined {
  const parts = asciiDigits(text.normalize('NFKC'))
    .trim()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
  const [first = '', second = ''] = parts.length === 1 ? splitDigits(parts[0] ?? '') : parts
  const [month, year] = first.length === 4 ? [second, first] : [first, second]
  if (parts.length > 2 || !/^\d\d?$/u.test(month) || !/^(?:20)?\d\d$/u.test(year)) return undefined
  return { month: month.padStart(2, '0'), year: year.slice(-2) }
}

/** Splits digits without a separator after the month. The month has one digit when two digits are no month. */
export function splitDigits(digits: string): [month: string, year: string] {
  const length = /^(?:0|1[0-2])/u.test(digits) || digits.length === 1 ? 2 : 1
  return [digits.slice(0, length), digits.slice(length)]
}

/** Reads an expiry. Cards are issued for five years, rarely ten; a year that is more than 20 years away is a typing error. */
export function readExpiry(text: string, now: Date): Read<Expiry> {
  if (text.trim() === '') return { error: 'required' }
  const { month = '', year: short = '' } = expiryParts(text) ?? {}
  if (!/^(?:0[1-9]|1[0-2])$/u.test(month)) return { error: 'expiry_format' }
  const year = `20${short}`
  if (Number(year) > now.getUTCFullYear() + 20) return { error: 'expiry_format' }
  // A card is valid until the end of its month, Indian time.
  const end = Date.UTC(Number(year), Number(month), 1) - 5.5 * 3_600_000
  return now.getTime() >= end ? { error: 'expired' } : { value: { month, year } }
}

/** Reads the security code. Its length depends on the network when the network is known. */
export function readCvv(text: string, network: CardNetwork | undefined): Read<string> {
  const cvv = withoutSeparators(text)
  if (cvv === '') return { error: 'required' }
  const fits = network ? cvv.length === network.cvvLength : cvv.length === 3 || cvv.length === 4
  return fits && /^\d+$/u.test(cvv) ? { value: cvv } : { error: 'cvv_length' }
}

/**
 * Reads the name on the card: any text that `customer.name` may be, with a letter. A name with as many digits as a card number is a
 * number in the wrong field, and a name with markup would be a risk for a page that shows it.
 */
export function readName(text: string): Read<string> {
  const name = text.normalize('NFC').trim().replace(/\s+/gu, ' ')
  if (name === '') return { error: 'required' }
  const digits = asciiDigits(name).replace(/\D/gu, '')
  const isName = isPlainText(name) && !/[<>]/u.test(name) && name.length <= 100 && digits.length < 12
  return isName && /\p{L}/u.test(name) ? { value: name } : { error: 'name_invalid' }
}
