import { holdsCardNumber } from './card-numbers/find-cards.ts'

/** With spaces and marks between the digits. */
export const MAX_PHONE_CHARACTERS = 40
/** From this length on, a number may be a card's. Hardly any phone is so long. */
const LENGTH_OF_CARDS = '+'.length + 14

/** Spaces, dashes and other marks between the digits, also the invisible ones that address books add. */
const BETWEEN = /[\p{Zs}\p{Pd}\p{Cf}\u2212()./]/gu
/** The international prefix: `+`, or `00` as it is dialled in India. */
const ABROAD = /^(?:\+|00)/u
/** An Indian mobile number, with or without the country code or a leading 0. */
const INDIAN = /^(?:\+91|0)?0?([6-9]\d{9})$|^91([6-9]\d{9})$/u
/** A country's code and a number: those of North America and India have one length, the others from 8 to 15 digits in all. */
const E164 = /^\+(?:1[2-9]\d{9}|91[6-9]\d{9}|(?:9[02-9]|[2-8]\d)\d{6,13})$/u

/**
 * A phone number as E.164, such as `+919876543210`: one number, one spelling. Takes Indian mobile numbers as people write them, and
 * foreign ones that begin with `+` or `00`. `undefined` for any other text, and for a card number.
 */
export function toE164(text: string): string | undefined {
  if (text.length > MAX_PHONE_CHARACTERS) return undefined
  const [, dialled, withCode] = INDIAN.exec(withoutMarks(text)) ?? []
  const indian = dialled ?? withCode
  if (indian !== undefined) return `+91${indian}`
  // People dial the "(0)" of a foreign number only within its country.
  const number = withoutMarks(text.replace('(0)', ''))
  const isCard = number.length >= LENGTH_OF_CARDS && holdsCardNumber(number)
  return E164.test(number) && !isCard ? number : undefined
}

function withoutMarks(text: string): string {
  return text.replaceAll(BETWEEN, '').replace(ABROAD, '+')
}
