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
