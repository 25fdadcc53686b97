import { hasValidCheckDigit } from '@gateway/contracts'
import { detectNetwork, type CardNetworkRules } from './card-networks.ts'

/** Why a form field is not valid. The views hold the words for each code. */
export type FormErrorCode =
  | 'required'
  | 'number_invalid'
  | 'number_length'
  | 'network_unsupported'
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

/** Shortest and longest card number (ISO/IEC 7812-1: eight digits for the issuer, then the account number). */
const FEWEST_DIGITS = 12
const MOST_DIGITS = 19
const LONGEST_NAME = 100
/** Cards are issued for five years, rarely ten; a later year is a typing error. */
const LONGEST_VALIDITY_YEARS = 20
const IST_OFFSET_MS = 5.5 * 3_600_000

/** Reads a card number, whose digits may be grouped by spaces or hyphens, and finds its network. */
export function readCardNumber(text: string): Read<{ digits: string; rules: CardNetworkRules }> {
  const digits = asciiDigits(text).replace(/[\s-]/gu, '')
  if (digits === '') return { error: 'required' }
  if (!/^\d+$/u.test(digits)) return { error: 'number_invalid' }
  if (digits.length < FEWEST_DIGITS || digits.length > MOST_DIGITS) return { error: 'number_length' }
  const rules = detectNetwork(digits)
  if (!rules) return { error: 'network_unsupported' }
  if (!rules.lengths.includes(digits.length)) return { error: 'number_length' }
  return hasValidCheckDigit(digits) ? { value: { digits, rules } } : { error: 'number_invalid' }
}

/** Reads `MM/YY`, as printed on cards. Also takes `MM/YYYY` (browser autofill) and digits without the slash. */
export function readExpiry(text: string, now: Date): Read<Expiry> {
  const typed = asciiDigits(text).replace(/\s/gu, '')
  if (typed === '') return { error: 'required' }
  const [, month = '', short = ''] = /^(0[1-9]|1[0-2])[/-]?(?:20)?(\d{2})$/u.exec(typed) ?? []
  if (month === '') return { error: 'expiry_format' }
  const year = `20${short}`
  if (Number(year) > now.getUTCFullYear() + LONGEST_VALIDITY_YEARS) return { error: 'expiry_format' }
  return now >= endOf(Number(month), Number(year)) ? { error: 'expired' } : { value: { month, year } }
}

/** Reads the security code. Its length depends on the network when the network is known. */
export function readCvv(text: string, rules: CardNetworkRules | undefined): Read<string> {
  const cvv = asciiDigits(text).trim()
  if (cvv === '') return { error: 'required' }
  const fits = rules ? cvv.length === rules.cvvLength : cvv.length === 3 || cvv.length === 4
  return fits && /^\d+$/u.test(cvv) ? { value: cvv } : { error: 'cvv_length' }
}

/** Reads the name on the card. A name with as many digits as a card number is a number typed into the wrong field. */
export function readName(text: string): Read<string> {
  const name = text.normalize('NFC').trim().replace(/\s+/gu, ' ')
  if (name === '') return { error: 'required' }
  const digits = name.match(/\p{Nd}/gu)?.length ?? 0
  const isName = name.length <= LONGEST_NAME && digits < FEWEST_DIGITS && /^[\p{L}\p{M}\p{Nd} .,'’&/()-]+$/u.test(name)
  return isName && /\p{L}/u.test(name) ? { value: name } : { error: 'name_invalid' }
}

/** A card is valid until the end of its month, Indian time. */
function endOf(month: number, year: number): Date {
  return new Date(Date.UTC(year, month, 1) - IST_OFFSET_MS)
}

const DEVANAGARI_ZERO = 0x0966

/** Replaces Devanagari digits, which a Hindi keyboard may type, with ASCII digits. */
function asciiDigits(text: string): string {
  return text.replace(/[०-९]/gu, (digit) => String((digit.codePointAt(0) ?? DEVANAGARI_ZERO) - DEVANAGARI_ZERO))
}
