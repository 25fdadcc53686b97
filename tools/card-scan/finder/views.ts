/** Other ways in which the bytes of a text are written down: each gives the bytes again, and where they stood. */
export interface View {
  readonly name: 'base64' | 'hex' | 'UTF-16'
  /** The bytes that are written here, as Latin-1. */
  readonly text: string
  /** Where the place in the written text is that `index` in `text` came from. */
  readonly placeOf: (index: number) => number
}

/** Thirteen digits take at least this much. */
const BASE64 = /[A-Za-z0-9+/_-]{18,}/gu
/** A digit, or what stands between digits, as the first of three bytes gives one of these letters. */
const MAY_HOLD_DIGITS = /[I-P]/u
const BASE64_PHASES = [0, 1, 2, 3] as const
/** With the big end first, the last character has nothing behind it. */
const UTF16 = /((?:[\t\n\r\x20-\x7e\xa0]\0){12,})([\t\n\r\x20-\x7e\xa0]?)/gu
/** Digits in hex with what may stand between them; `\x3a` and a space between bytes too. */
const HEX =
  /3[0-9](?:[ :]|\\x)?(?:(?:(?:20|2[bdefBDEF]|0[09adAD]|[aA]0|[cC]2(?:[ :]|\\x)?[aA]0)(?:[ :]|\\x)?){0,3}3[0-9](?:[ :]|\\x)?){12,400}/gu

export function* viewsOf(text: string): Generator<View> {
  for (const { 0: written, index } of text.matchAll(HEX)) yield hexView(written, index)
  for (const { 1: pairs = '', 2: last = '', index } of text.matchAll(UTF16)) {
    const characters = pairs.replaceAll('\0', '')
    // Which end comes first cannot be told from the middle of a file.
    for (const written of last === '' ? [characters] : [characters, characters + last])
      yield { name: 'UTF-16', text: written, placeOf: (place) => index + place * 2 }
  }
  for (const { 0: written, index } of text.matchAll(BASE64)) {
    if (!MAY_HOLD_DIGITS.test(written)) continue
    for (const phase of BASE64_PHASES) yield base64View(written, index, phase)
  }
}

function hexView(written: string, index: number): View {
  const bytes = Buffer.from(written.replaceAll(/[ :]|\\x/gu, ''), 'hex')
  const perByte = written.length / bytes.length
  return { name: 'hex', text: bytes.toString('latin1'), placeOf: (place) => index + Math.round(place * perByte) }
}

/** Node reads the alphabet of URLs too. `phase` is where a group of four begins: nobody knows what stands in front of it. */
function base64View(written: string, index: number, phase: number): View {
  const text = Buffer.from(written.slice(phase), 'base64').toString('latin1')
  return { name: 'base64', text, placeOf: (place) => index + phase + Math.floor((place * 4) / 3) }
}
