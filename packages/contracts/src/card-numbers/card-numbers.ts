import { hasValidCheckDigit } from '../check-digit.ts'
import { cardNumbersInId } from './in-ids.ts'
import { isIssued } from './networks.ts'
import type { WrittenNumber } from './written-number.ts'

/**
 * `any`: every run of 13 to 19 digits that passes the Luhn check. For data that only the gateway writes: service logs, the stack's own
 * files. A format of the gateway that gives a false alarm is changed, not excluded.
 * `issued`: only numbers with the prefix and length of a network, written as cards are. For the files of database and broker,
 * which also hold the engines' own data: padded counters, map projections, catalogues.
 * `whole`: only a whole number as cards and forms show it, and none that is more likely an id (in-ids.ts). For ids and texts that banks
 * and merchants write, and for documents, which hold them.
 */
export type CardPolicy = 'any' | 'issued' | 'whole'

/** No card number has fewer digits. */
export const MIN_CARD_DIGITS = 13
const MAX_DIGITS = 19
const FIRST_GROUP_DIGITS = 4
/** Digits in hex. They are searched after decoding (views.ts). */
const DIGITS_IN_HEX = /(?:3[0-9]|20){13}/u

/** The card numbers in one written number: all of it, else whole groups, else a part of a group that is too long for a card. */
export function cardNumbersIn(written: WrittenNumber, policy: CardPolicy): string[] {
  if (policy === 'whole') return cardNumbersInId(written)
  const { groups, text } = written
  const all = groups.join('')
  if (
    groups.length > 1 &&
    isCard(all, policy) &&
    (policy === 'any' || isGroupedLikeACard(groups, text) || isEvenlyGrouped(groups))
  )
    return [all]
  const found = groups.flatMap((group) => {
    if (group.length > MAX_DIGITS) return inLongGroup(group)
    return isCard(group, policy) ? [group] : []
  })
  return found.length > 0 ? found : acrossGroups(groups, text)
}

function isCard(digits: string, policy: CardPolicy): boolean {
  const isCardLength = digits.length >= MIN_CARD_DIGITS && digits.length <= MAX_DIGITS
  return isCardLength && hasValidCheckDigit(digits) && (policy === 'any' || isIssued(digits))
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
  for (let from = 0; from < groups.length; from++) {
    if ((groups[from] ?? '').length < FIRST_GROUP_DIGITS) continue
    let [digits, found] = [groups[from] ?? '', '']
    // Bounded by the length of a card, so that a long list of numbers costs little.
    for (let to = from + 1; to < groups.length && digits.length < MAX_DIGITS; to++) {
      digits += groups[to] ?? ''
      if (isCard(digits, 'issued') && isGroupedLikeACard(groups.slice(from, to + 1), text)) found = digits
    }
    if (found !== '') return [found]
  }
  return []
}

/** True for `4111 1111 1111 1111` and `3782 822463 10005`, false for `4374.1234567890`. */
function isGroupedLikeACard(groups: readonly string[], text: string): boolean {
  if (groups.length === 2 && text.includes('.')) return false
  return groups.every(({ length }, place) => length >= (place === 0 ? FIRST_GROUP_DIGITS : place === groups.length - 1 ? 1 : 3))
}

/** True for groups of one size, such as single digits or pairs. Only the last group may be shorter. */
function isEvenlyGrouped([first = '', ...others]: readonly string[]): boolean {
  return others.every(({ length }, place) => length === first.length || (place === others.length - 1 && length < first.length))
}
