import { hasValidCheckDigit } from '../check-digit.ts'
import { schemeOf } from './schemes.ts'
import type { WrittenNumber } from './written-number.ts'

/**
 * `any`: every run of 13 to 19 digits that passes the Luhn check. For data that the gateway writes: service logs, documents, the
 * stack's own files. A format of the gateway that gives a false alarm is changed, not excluded.
 * `issued`: only numbers with the prefix and length of a scheme, written as cards are. For the files of database and broker, which
 * also hold the engines' own data: padded counters, map projections, catalogues. And for ids of banks, which may be as long.
 */
export type CardPolicy = 'any' | 'issued'

/** No card number has fewer digits. */
export const MIN_CARD_DIGITS = 13
const MAX_DIGITS = 19
/** Digits in hex. They are searched after decoding (views.ts). */
const DIGITS_IN_HEX = /(?:3[0-9]|20){13}/u

/** The card numbers in one written number: all of it, else whole groups, else a part of a group that is too long for a card. */
export function cardNumbersIn({ groups, text }: WrittenNumber, policy: CardPolicy): string[] {
  const all = groups.join('')
  if (
    groups.length > 1 &&
    isCard(all, policy) &&
    (policy === 'any' || isGroupedLikeACard(groups, text) || isEvenlyGrouped(groups))
  )
    return [all]
  const found = groups.flatMap((group) => (group.length > MAX_DIGITS ? inLongGroup(group) : isCard(group, policy) ? [group] : []))
  return found.length > 0 ? found : acrossGroups(groups, text)
}

function isCard(digits: string, policy: CardPolicy): boolean {
  const isCardLength = digits.length >= MIN_CARD_DIGITS && digits.length <= MAX_DIGITS
  return isCardLength && hasValidCheckDigit(digits) && (policy === 'any' || schemeOf(digits) !== undefined)
}

/** The first issued number within a longer run, such as a number followed directly by its expiry. */
function inLongGroup(group: string): string[] {
  if (DIGITS_IN_HEX.test(group)) return []
  for (let from = 0; from + MIN_CARD_DIGITS <= group.length; from++)
    for (let length = Math.min(MAX_DIGITS, group.length - from); length >= MIN_CARD_DIGITS; length--) {
      const part = group.slice(from, from + length)
      if (isCard(part, 'issued')) return [part]
    }
  return []
}

/** A number beside others, such as after a date. Only with a card's groups, since any list of numbers has Luhn-valid parts. */
function acrossGroups(groups: readonly string[], text: string): string[] {
  for (let from = 0; from < groups.length; from++)
    for (let to = groups.length; to > from + 1; to--) {
      const some = groups.slice(from, to)
      if (isCard(some.join(''), 'issued') && isGroupedLikeACard(some, text)) return [some.join('')]
    }
  return []
}

/** True for `4111 1111 1111 1111` and `3782 822463 10005`, false for `4374.1234567890`. */
function isGroupedLikeACard(groups: readonly string[], text: string): boolean {
  if (groups.length === 2 && text.includes('.')) return false
  return groups.every(({ length }, place) => length >= (place === 0 ? 4 : place === groups.length - 1 ? 1 : 3))
}

/** True for groups of one size, such as single digits or pairs. Only the last group may be shorter. */
function isEvenlyGrouped([first = '', ...others]: readonly string[]): boolean {
  return others.every(({ length }, place) => length === first.length || (place === others.length - 1 && length < first.length))
}
