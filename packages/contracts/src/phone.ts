import { holdsCardNumber } from './card-numbers/find-cards.ts'

/** With all that people write between the digits. */
export const MAX_PHONE_CHARACTERS = 40
/** Cards have as many digits, hardly any phone has. */
const LENGTH_OF_CARDS = '+'.length + 14

/** Spaces, dashes and marks that people write between the digits, and invisible ones that address books copy along. */
const BETWEEN = /[\p{Zs}\p{Pd}\p{Cf}\u2212()./]/gu
/** The way out of India, and the sign for it. */
const ABROAD = /^(?:\+|00)/u
/** Of an Indian mobile number, in whatever way it is dialled. */
const INDIAN = /^(?:\+91|0)?0?([6-9]\d{9})$|^91([6-9]\d{9})$/u
/** A country's code and a number: those of North America and India have one length, the others from 8 to 15 digits in all. */
const E164 = /^\+(?:1[2-9]\d{9}|91[6-9]\d{9}|(?:9[02-9]|[2-8]\d)\d{6,13})$/u

/**
 * A phone number as E.164, such as `+919876543210`: one number, one spelling. Takes Indian mobile numbers as people write them, and
 * foreign ones that begin with `+` or `00`. `undefined` for any other text, a card number among them.
 */
export function toE164(text: string): string | undefined {
  if (text.length > MAX_PHONE_CHARACTERS) return undefined
  const [, dialled, withCode] = INDIAN.exec(withoutMarks(text)) ?? []
  const indian = dialled ?? withCode
  if (indian !== undefined) return `+91${indian}`
  // The "(0)" of a foreign number is only dialled within its country.
  const number = withoutMarks(text.replace('(0)', ''))
  const isCard = number.length >= LENGTH_OF_CARDS && holdsCardNumber(number)
  return E164.test(number) && !isCard ? number : undefined
}

function withoutMarks(text: string): string {
  return text.replaceAll(BETWEEN, '').replace(ABROAD, '+')
}
