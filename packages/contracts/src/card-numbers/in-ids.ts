import { hasValidCheckDigit } from '../check-digit.ts'
import { isIssued, networkOf } from './networks.ts'
import type { WrittenNumber } from './written-number.ts'

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
export function cardNumbersInId({ groups, isAfterLetter, isBeforeLetter }: WrittenNumber): string[] {
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
