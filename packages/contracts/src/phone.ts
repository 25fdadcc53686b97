import { asciiDigits } from './plain-text.ts'
import { holdsCardNumber } from './card-numbers/find-cards.ts'

/** With spaces and marks between the digits. */
export const MAX_PHONE_CHARACTERS = 40
/** From this length on, a number may be a card's. Hardly any phone is so long. */
const LENGTH_OF_CARDS = '+'.length + 14

/** Spaces, dashes and other marks between the digits, also the invisible ones that address books add. */
const BETWEEN = /[\p{Zs}\p{Pd}\p{Cf}\u2212()._/]/gu
/** The international prefix: `+`, or `00` as it is dialled in India. */
const ABROAD = /^(?:\+|00)/u
/** As links to a phone number begin (RFC 3966). */
const LINK = /^\s*tel:/iu
/** An Indian mobile number, with or without the country code or a leading 0, or a landline with the code: its area and number are ten digits. */
const INDIAN = /^(?:(?:(?:\+91|0)?0?|0?91)(?=[6-9])|\+910?)([1-9]\d{9})$/u
/** A country's code and a number: those of North America have one length, the others from 8 to 15 digits in all. */
const E164 = /^\+(?:1[2-9]\d{9}|(?:9[02-9]|[2-8]\d)\d{6,13})$/u

/**
 * A phone number as E.164, such as `+919876543210`: one number, one spelling. Takes Indian mobile numbers as people write them, and
 * landlines and foreign numbers that begin with `+` or `00`. `undefined` for any other text, and for a card number.
 */
export function toE164(text: string): string | undefined {
  if (text.length > MAX_PHONE_CHARACTERS) return undefined
  // Forms of a wide font become plain ones.
  const plain = asciiDigits(text.normalize('NFKC')).replace(LINK, '')
  const [, indian] = INDIAN.exec(withoutMarks(plain)) ?? []
  if (indian !== undefined) return `+91${indian}`
  // People dial the "(0)" of a foreign number only within its country.
  const number = withoutMarks(plain.replace('(0)', ''))
  const isCard = number.length >= LENGTH_OF_CARDS && holdsCardNumber(number)
  return E164.test(number) && !isCard ? number : undefined
}

function withoutMarks(text: string): string {
  return text.replaceAll(BETWEEN, '').replace(ABROAD, '+')
}
