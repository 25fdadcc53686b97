import { isLuhnValid } from './luhn.ts'
import { schemeOf } from './schemes.ts'
import type { WrittenNumber } from './written-number.ts'

/**
 * `any`: every run of 13 to 19 digits that passes the Luhn check, of any issuer. For data that we write: service logs,
 * documents, the stack's own files. A format of ours that gives a false alarm is changed, not excluded.
 * `issued`: only numbers that some scheme could have issued (its prefix, its length), written as cards are. For the files of
 * database and broker, which hold the engines' own texts too: padded counters, geodesy, catalogues.
 */
export type Policy = 'any' | 'issued'

const LEAST = 13
const MOST = 19
/** Digits in hex, which are looked at as such. */
const DIGITS_IN_HEX = /(?:3[0-9]|20){13}/u

/** The card numbers in one written number: the whole of it, else whole groups of it, else a part of an endless run. */
export function cardNumbersIn({ groups, text }: WrittenNumber, policy: Policy): string[] {
  if (groups.length > 1 && isWholeCard(groups, text, policy)) return [groups.join('')]
  const found = groups.flatMap((group) => inOneGroup(group, policy))
  return found.length > 0 || groups.length === 1 ? found : acrossGroups(groups, text)
}

function isWholeCard(groups: readonly string[], text: string, policy: Policy): boolean {
  const digits = groups.join('')
  if (!isCardNumber(digits)) return false
  return policy === 'any' || (schemeOf(digits) !== undefined && (isGroupedLikeACard(groups, text) || isEvenlyGrouped(groups)))
}

function inOneGroup(group: string, policy: Policy): string[] {
  if (group.length <= MOST) return isCardNumber(group) && (policy === 'any' || schemeOf(group) !== undefined) ? [group] : []
  if (DIGITS_IN_HEX.test(group)) return []
  // Too long to be one itself, such as a number with its expiry glued to it.
  for (let from = 0; from + LEAST <= group.length; from++)
    for (let length = Math.min(MOST, group.length - from); length >= LEAST; length--) {
      const part = group.slice(from, from + length)
      if (isCardNumber(part) && schemeOf(part) !== undefined) return [part]
    }
  return []
}

/** A number beside others, such as a date in front of it: only as cards are grouped, for any list of numbers has windows. */
function acrossGroups(groups: readonly string[], text: string): string[] {
  for (let from = 0; from < groups.length; from++)
    for (let to = groups.length; to > from; to--) {
      const window = groups.slice(from, to)
      const digits = window.join('')
      if (isCardNumber(digits) && schemeOf(digits) !== undefined && isGroupedLikeACard(window, text)) return [digits]
    }
  return []
}

function isCardNumber(digits: string): boolean {
  return digits.length >= LEAST && digits.length <= MOST && isLuhnValid(digits)
}

/** `4111 1111 1111 1111`, `3782 822463 10005`; not `4374.1234567890`. */
function isGroupedLikeACard(groups: readonly string[], text: string): boolean {
  if (groups.length === 2 && text.includes('.')) return false
  return groups.every(({ length }, place) => length >= (place === 0 ? 4 : place === groups.length - 1 ? 1 : 3))
}

/** Such as digit by digit, or in pairs. */
function isEvenlyGrouped(groups: readonly string[]): boolean {
  const size = groups[0]?.length ?? 0
  return groups.every(({ length }, place) => length === size || (place === groups.length - 1 && length < size))
}
