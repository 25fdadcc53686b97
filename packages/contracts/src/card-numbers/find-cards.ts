import { cardNumbersIn, MIN_CARD_DIGITS, type CardPolicy } from './card-numbers.ts'
import { schemeOf } from './schemes.ts'
import { viewsOf } from './views.ts'
import { writtenNumbers, type WrittenNumber } from './written-number.ts'

/** A card number that was found. `digits` only distinguishes findings: the number is never printed or stored. */
export interface CardFinding {
  readonly digits: string
  /** How it is written, such as `plain` or `base64 of separated`. */
  readonly form: string
  /** Where it begins and ends in the text. */
  readonly start: number
  readonly end: number
}

/** How often encodings are decoded within each other, such as a form field in base64 in a document in UTF-16. */
const MAX_DEPTH = 2
/** Ignored everywhere. The dashes of a UUID join unrelated digits; a UUID has no run of 13 digits, and no card number this shape. */
const UUID = /(?<![0-9A-Za-z])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![0-9A-Za-z])/gu
/** A text without either is no card number in any form; most names and addresses have neither. */
const MAY_BE_DIGITS = /[0-9\u0080-\u{10ffff}]/u
const MAY_BE_BASE64 = /[A-Za-z+/_-]{18}/u
/** A number with a long fraction, ignored in the engines' files: the database's table of map projections is full of them. */
const LONG_FRACTION = /(?<![0-9.])[0-9]{1,9}\.[0-9]{9,}(?![0-9.])/gu

/** Every card number in a text (bytes as Latin-1), in every form. A number that two views show is found twice. */
export function findCards(text: string, policy: CardPolicy): CardFinding[] {
  const ignored = policy === 'any' ? [UUID] : [UUID, LONG_FRACTION]
  // Replaced by as many characters, so that the places of findings stay right.
  const searched = ignored.reduce((rest, pattern) => rest.replaceAll(pattern, (match) => '~'.repeat(match.length)), text)
  return findAtDepth(searched, policy, 0)
}

/** Whether a text, with characters of any script, holds a card number. */
export function holdsCardNumber(text: string, policy: CardPolicy): boolean {
  if (text.length < MIN_CARD_DIGITS || (!MAY_BE_DIGITS.test(text) && !MAY_BE_BASE64.test(text))) return false
  return findCards(Buffer.from(text).toString('latin1'), policy).length > 0
}

/** The part of a finding that may be shown: `visa, 16 digits, ends in 1111`. */
export function describeFinding({ digits }: CardFinding): string {
  return `${schemeOf(digits) ?? 'no known scheme'}, ${digits.length} digits, ends in ${digits.slice(-4)}`
}

function findAtDepth(text: string, policy: CardPolicy, depth: number): CardFinding[] {
  const found = writtenNumbers(text).flatMap((written) =>
    cardNumbersIn(written, policy).map((digits): CardFinding => {
      return { digits, form: formOf(written), start: written.index, end: written.index + written.text.length }
    }),
  )
  if (depth >= MAX_DEPTH) return found
  for (const view of viewsOf(text))
    for (const { digits, form, start, end } of findAtDepth(view.text, policy, depth + 1))
      found.push({ digits, form: `${view.name} of ${form}`, start: view.placeOf(start), end: view.placeOf(end) })
  return found
}

function formOf({ groups, text }: WrittenNumber): string {
  if (text.includes('%')) return 'percent-encoded'
  if (/\\[ux]|&/u.test(text)) return 'escaped'
  return groups.length > 1 ? 'separated' : 'plain'
}
