import type { FormErrorCode } from './card-form.ts'
import { detectNetwork, hasValidCheckDigit, type CardNetworkRules } from './card-networks.ts'

/** A field of the card form as it was meant, or what is wrong with it. */
export type Read<T> = { readonly value: T } | { readonly error: FormErrorCode }

export interface Expiry {
  readonly month: string
  readonly year: string
}

/** No number has fewer digits (ISO/IEC 7812-1: eight for the issuer, and an account), and none has more. */
const FEWEST_DIGITS = 12
const MOST_DIGITS = 19
const LONGEST_NAME = 100
/** Cards are issued for five years, rarely ten; what ends later is mistyped. */
const LONGEST_VALIDITY_YEARS = 20
const IST_OFFSET_MS = 5.5 * 3_600_000

/** The digits of a card's number, which may be grouped by spaces or hyphens, and its network. */
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

/** `MM/YY`, as cards print it; browsers that fill it in also write `MM/YYYY`, and people leave the stroke out. */
export function readExpiry(text: string, now: Date): Read<Expiry> {
  const typed = asciiDigits(text).replace(/\s/gu, '')
  if (typed === '') return { error: 'required' }
  const [, month = '', short = ''] = /^(0[1-9]|1[0-2])[/-]?(?:20)?(\d{2})$/u.exec(typed) ?? []
  if (month === '') return { error: 'expiry_format' }
  const year = `20${short}`
  if (Number(year) > now.getUTCFullYear() + LONGEST_VALIDITY_YEARS) return { error: 'expiry_format' }
  return now >= endOf(Number(month), Number(year)) ? { error: 'expired' } : { value: { month, year } }
}

/** The security code; how long it is depends on the network, where that is known. */
export function readCvv(text: string, rules: CardNetworkRules | undefined): Read<string> {
  const cvv = asciiDigits(text).trim()
  if (cvv === '') return { error: 'required' }
  const fits = rules ? cvv.length === rules.cvvLength : cvv.length === 3 || cvv.length === 4
  return fits && /^\d+$/u.test(cvv) ? { value: cvv } : { error: 'cvv_length' }
}

/** The name on the card. One that holds as many digits as a card's number is a number in the wrong field. */
export function readName(text: string): Read<string> {
  const name = text.normalize('NFC').trim().replace(/\s+/gu, ' ')
  if (name === '') return { error: 'required' }
  const digits = name.match(/\p{Nd}/gu)?.length ?? 0
  const isName = name.length <= LONGEST_NAME && digits < FEWEST_DIGITS && /^[\p{L}\p{M}\p{Nd} .,'’&/()-]+$/u.test(name)
  return isName && /\p{L}/u.test(name) ? { value: name } : { error: 'name_invalid' }
}

/** A card is good until the end of its month, at the latest of India's clock. */
function endOf(month: number, year: number): Date {
  return new Date(Date.UTC(year, month, 1) - IST_OFFSET_MS)
}

const DEVANAGARI_ZERO = 0x0966

/** Digits as a Hindi keyboard may type them. */
function asciiDigits(text: string): string {
  return text.replace(/[०-९]/gu, (digit) => String((digit.codePointAt(0) ?? DEVANAGARI_ZERO) - DEVANAGARI_ZERO))
}
