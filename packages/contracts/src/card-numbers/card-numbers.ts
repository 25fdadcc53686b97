import { hasValidCheckDigit, isIssued, networkOf } from './networks.ts'
import type { WrittenNumber } from './written-number.ts'

/**
 * `any`: every run of 13 to 19 digits that passes the Luhn check. For data that only the gateway writes: service logs, the stack's own
 * files. A format of the gateway that gives a false alarm is changed, not excluded.
 * `issued`: only numbers with the prefix and length of a network, written as cards are. For the files of database and broker,
 * which also hold the engines' own data: padded counters, map projections, catalogues.
 * `whole`: only a whole number as cards and forms show it, and none that is more likely an id. For ids and texts that banks
 * and merchants write, and for documents, which hold them.
 */
export type CardPolicy = 'any' | 'issued' | 'whole'

/** No card number has fewer digits. */
export const MIN_CARD_DIGITS = 13
const MAX_DIGITS = 19
const FIRST_GROUP_DIGITS = 4
/** Digits in hex. They are searched after decoding (find-cards.ts). */
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

/** Counts of digits in the groups of a card number, as cards and forms show it. */
const PRINTED = /^(?:4-4-4-[1-3]|4-4-4-4(?:-3)?|4-6-[45])$/u
/** Single digits, pairs or threes; only the last group may be shorter. */
const SPELLED_OUT = /^([1-3])(?:-\1)+(?:-[12])?$/u
const [LEAST_GROUPS, MOST_GROUPS] = [3, 5]
/** The lengths that networks issue today: 13 to 15 digits belong to Visa, American Express and Diners Club. Maestro allows many more. */
const USUAL = /^(?:[34]\d{12,14}|\d{16}|\d{19})$/u

const MONTH = '(?:0[1-9]|1[0-2])'
const DAY = String.raw`(?:0[1-9]|[12]\d|3[01])`
const YEAR = String.raw`20[23]\d`
const TIME = String.raw`(?:[01]\d|2[0-3])[0-5]\d[0-5]\d`
/**
 * Ids such as `<store><date><number>` or `<time><number>`. They pass the check digit one time in ten; about one card number in a
 * thousand has such a date by chance, and three in a thousand of Mastercard's that begin with 22 to 27.
 */
const DATED = new RegExp(`${YEAR}${MONTH}${DAY}|${DAY}${MONTH}${YEAR}|^2[2-7]${MONTH}${DAY}${TIME}`, 'u')

/** What may stand directly beside a letter: banks put letters before 15 digits, as in `N341…` for a day of the year, and before 17. */
const BESIDE_LETTERS: readonly (string | undefined)[] = ['visa', 'mastercard', 'rupay']
const AMEX_BESIDE_LETTERS = /^37\d{13}$/u

/** The card numbers in a number of an id or a text: in a printed shape, or one group. */
function cardNumbersInId({ groups, isAfterLetter, isBeforeLetter }: WrittenNumber): string[] {
  const single = groups.filter((group, place) => {
    const isBesideLetter = (isAfterLetter && place === 0) || (isBeforeLetter && place === groups.length - 1)
    return isUsual(group) && (!isBesideLetter || isKnownBesideLetters(group))
  })
  const all = groups.join('')
  if (isUsual(all) && SPELLED_OUT.test(shapeOf(groups))) return [all, ...single]
  return [...single, ...groups.flatMap((_group, from) => printedFrom(groups, from))]
}

function printedFrom(groups: readonly string[], from: number): string[] {
  for (let count = MOST_GROUPS; count >= LEAST_GROUPS; count--) {
    const some = groups.slice(from, from + count)
    if (some.length === count && PRINTED.test(shapeOf(some)) && isUsual(some.join(''))) return [some.join('')]
  }
  return []
}

function shapeOf(groups: readonly string[]): string {
  return groups.map(({ length }) => length).join('-')
}

function isUsual(digits: string): boolean {
  return USUAL.test(digits) && hasValidCheckDigit(digits) && isIssued(digits) && !DATED.test(digits)
}

function isKnownBesideLetters(digits: string): boolean {
  return AMEX_BESIDE_LETTERS.test(digits) || (digits.length === 16 && BESIDE_LETTERS.includes(networkOf(digits)?.id))
}
