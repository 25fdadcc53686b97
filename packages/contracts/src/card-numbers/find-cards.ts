import { asciiDigits } from '../plain-text.ts'
import { cardNumbersIn, MIN_CARD_DIGITS, type CardPolicy } from './card-numbers.ts'
import { networkOf } from './networks.ts'
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
/** Every field of a merchant or bank has a lower limit, so a longer text is refused for its length. */
const LONGEST_TEXT = 2048
const NOT_ASCII = /[^\0-\x7f]/u
/** A part that may be base64 of digits, as `viewsOf` decodes it. */
const MAY_BE_BASE64 = /(?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_-]{18})[A-Za-z0-9+/_-]*[I-P]/u
/** Separators that people write between digits, in addition to those that programs use. */
const OTHER_SEPARATORS = /[_,:|\u00b7\u2022]/gu
/** Marks that also belong to escapes and encodings, between digits: `4111*1111`, `(4111) 1111`. */
const MARKS = /(?<=[0-9][ !"#$'-/:-@[\]-`{-~]{0,2})[!"#$'()*;<=>?@[\]^`{}~](?=[ !"#$'-/:-@[\]-`{-~]{0,2}[0-9])/gu
/** A digest or an id in hex: its runs of digits mean nothing. */
const HEX_WORD = /(?<![0-9A-Za-z])(?=[0-9]*[a-fA-F])[0-9a-fA-F]{24,}(?![0-9A-Za-z])/gu
/** A number with a long fraction, ignored in the engines' files: the database's table of map projections is full of them. */
const LONG_FRACTION = /(?<![0-9.])[0-9]{1,9}\.[0-9]{9,}(?![0-9.])/gu

/** Every card number in a text (bytes as Latin-1), in every form. A number that two views show is found twice. */
export function findCards(text: string, policy: CardPolicy): CardFinding[] {
  if (!hasManyDigits(text)) return findAtDepth(text, policy, 0)
  const withoutUuids = text.includes('-') ? blanked(text, UUID) : text
  return findAtDepth(policy !== 'any' && text.includes('.') ? blanked(withoutUuids, LONG_FRACTION) : withoutUuids, policy, 0)
}

/**
 * Whether an id or a text that a bank or a merchant wrote holds a card number. Digits of every script count. Use the policy `any` only
 * for a text that can be left out without loss.
 */
export function holdsCardNumber(text: string, policy: CardPolicy = 'whole'): boolean {
  if (text.length < MIN_CARD_DIGITS || text.length > LONGEST_TEXT) return false
  const ascii = NOT_ASCII.test(text) ? asciiDigits(text).replaceAll(/\p{Cf}/gu, '') : text
  if (!hasManyDigits(ascii) && !MAY_BE_BASE64.test(ascii)) return false
  const written = ascii.replaceAll(OTHER_SEPARATORS, '-').replaceAll(MARKS, '-')
  return findCards(Buffer.from(written).toString('latin1'), policy).length > 0
}

/** The part of a finding that may be shown: `visa, 16 digits, ends in 1111`. */
export function describeFinding({ digits }: CardFinding): string {
  return `${networkOf(digits)?.id ?? 'no known network'}, ${digits.length} digits, ends in ${digits.slice(-4)}`
}

/** Replaces every match with as many characters, so that the positions of findings stay right. */
function blanked(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (match) => '~'.repeat(match.length))
}

function findAtDepth(text: string, policy: CardPolicy, depth: number): CardFinding[] {
  const hasDigits = hasManyDigits(text)
  const searched = policy === 'whole' ? blanked(text, HEX_WORD) : text
  const found = (hasDigits ? writtenNumbers(searched) : []).flatMap((written) =>
    cardNumbersIn(written, policy).map((digits): CardFinding => {
      return { digits, form: formOf(written), start: written.index, end: written.index + written.text.length }
    }),
  )
  if (depth >= MAX_DEPTH) return found
  for (const view of viewsOf(text, hasDigits))
    for (const { digits, form, start, end } of findAtDepth(view.text, policy, depth + 1))
      found.push({ digits, form: `${view.name} of ${form}`, start: view.placeOf(start), end: view.placeOf(end) })
  return found
}

function formOf({ groups, text }: WrittenNumber): string {
  if (text.includes('%')) return 'percent-encoded'
  if (/\\[ux]|&/u.test(text)) return 'escaped'
  return groups.length > 1 ? 'separated' : 'plain'
}

/** False for a text with too few digits for a card number, in whatever form: each form has a digit or one of two bytes. */
function hasManyDigits(text: string): boolean {
  let digits = 0
  for (let index = 0; index < text.length && digits < MIN_CARD_DIGITS; index++) {
    const code = text.charCodeAt(index)
    if ((code >= 0x30 && code <= 0x39) || (code >= 0x90 && code <= 0xaf)) digits++
  }
  return digits === MIN_CARD_DIGITS
}

/** A part of a text that encodes other bytes, decoded. */
export interface View {
  readonly name: 'base64' | 'hex' | 'UTF-16'
  /** The decoded bytes, as Latin-1. */
  readonly text: string
  /** The place in the encoded text that holds `index` of `text`. */
  readonly placeOf: (index: number) => number
}

/** At least as long as thirteen encoded digits. */
const BASE64 = /[A-Za-z0-9+/_-]{18,}/gu
/** The first of three bytes gives one of these letters when it is a digit or a separator. */
const MAY_HOLD_DIGITS = /[I-P](?:.{3}[I-P]){2}/u
/** The least length of a card number in base64 of base64, in which the letters of MAY_HOLD_DIGITS are rarer. */
const ENCODED_TWICE = 24
/** Where a group of four characters may begin, since the start of the encoded text is unknown. */
const BASE64_PHASES = [0, 1, 2, 3]
/** In big-endian text no zero byte follows the last character. */
const UTF16 = /((?:[\t\n\r\x20-\x7e\xa0]\0){12,})([\t\n\r\x20-\x7e\xa0]?)/gu
/** Digits and separators in hex. A space, a colon or `\x` may stand between bytes. */
const HEX =
  /3[0-9](?:[ :]|\\x)?(?:(?:(?:20|2[bdefBDEF]|0[09adAD]|[aA]0|[cC]2(?:[ :]|\\x)?[aA]0)(?:[ :]|\\x)?){0,3}3[0-9](?:[ :]|\\x)?){12,400}/gu

/** Decodes every part of a text that looks like hex, UTF-16 or base64 and may hold a card number. A text without digits can only be base64. */
export function* viewsOf(text: string, hasDigits: boolean): Generator<View> {
  if (hasDigits) yield* viewsOfDigits(text)
  for (const { 0: encoded, index } of text.matchAll(BASE64)) {
    if (encoded.length < ENCODED_TWICE && !MAY_HOLD_DIGITS.test(encoded)) continue
    for (const phase of BASE64_PHASES) {
      // Node also decodes base64url.
      const decoded = Buffer.from(encoded.slice(phase), 'base64').toString('latin1')
      yield { name: 'base64', text: decoded, placeOf: (place) => index + phase + Math.floor((place * 4) / 3) }
    }
  }
}

function* viewsOfDigits(text: string): Generator<View> {
  for (const { 0: encoded, index } of text.matchAll(HEX)) {
    const bytes = Buffer.from(encoded.replaceAll(/[ :]|\\x/gu, ''), 'hex')
    const perByte = encoded.length / bytes.length
    yield { name: 'hex', text: bytes.toString('latin1'), placeOf: (place) => index + Math.round(place * perByte) }
  }
  for (const { 1: pairs = '', 2: last = '', index } of text.matchAll(UTF16)) {
    const characters = pairs.replaceAll('\0', '')
    // The byte order is unknown, so the text is searched with and without its last character.
    for (const decoded of new Set([characters, characters + last]))
      yield { name: 'UTF-16', text: decoded, placeOf: (place) => index + place * 2 }
  }
}
