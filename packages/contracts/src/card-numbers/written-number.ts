/** Numbers as they are written in logs, JSON, forms, URLs and markup. Patterns match bytes, each as a character of Latin-1. */

const PERCENT = '%(?:25)*'
const lastCharacter = (written: string): string => written.slice(-1)
/** One digit: plain, percent-encoded (also twice), escaped in JSON or HTML, full-width or Devanagari in UTF-8. */
const DIGIT_FORMS: readonly (readonly [pattern: string, digitOf: (written: string) => string])[] = [
  ['[0-9]', lastCharacter],
  [`${PERCENT}3[0-9]`, lastCharacter],
  [String.raw`\\(?:u00|x)3[0-9]`, lastCharacter],
  [String.raw`&#x3[0-9];`, (written) => written.slice(-2, -1)],
  [String.raw`&#(?:4[89]|5[0-7]);`, (written) => String(Number(written.slice(2, -1)) - 48)],
  [String.raw`\xef\xbc[\x90-\x99]`, (written) => String(written.charCodeAt(2) - 0x90)],
  [String.raw`\xe0\xa5[\xa6-\xaf]`, (written) => String(written.charCodeAt(2) - 0xa6)],
]

const SEPARATOR = [
  String.raw`[ \t\r\n\-./+\xa0]`,
  // In UTF-8: no-break, wide and narrow spaces, hyphens and dashes.
  String.raw`\xc2\xa0|\xe2\x80[\x80-\x95\xa8\xa9\xaf]|\xe2\x88\x92|\xe3\x80\x80`,
  // Escaped in JSON, percent-encoded, and in HTML.
  String.raw`\\u00[aA]0|\\u00(?:2[0bdefBDEF]|0[9adAD])|\\u20[012][0-9a-fA-F]|\\[nrt/]`,
  `${PERCENT}(?:2[0bdefBDEF]|0[9adAD]|[aA]0|[cC]2${PERCENT}[aA]0)`,
  '&nbsp;|&#160;|&#32;|&#x[aA]0;',
].join('|')

const DIGIT = DIGIT_FORMS.map(([pattern]) => pattern).join('|')
const MIN_DIGITS = 13
/** Longer numbers are cut, so that no input makes the match expensive. */
const MAX_DIGITS = 400
/** Between two digits, such as the end of a line and an indent. */
const MAX_SEPARATORS = 3

const WRITTEN_NUMBER = new RegExp(
  `(?<![0-9])(?:${DIGIT})(?:(?:${SEPARATOR}){0,${MAX_SEPARATORS}}(?:${DIGIT})){${MIN_DIGITS - 1},${MAX_DIGITS - 1}}`,
  'gu',
)
/** Has one capturing group for each form of a digit, and none for separators. */
const TOKEN = new RegExp(`${DIGIT_FORMS.map(([pattern]) => `(${pattern})`).join('|')}|(?:${SEPARATOR})`, 'gu')

/** A number of at least 13 digits in a text. */
export interface WrittenNumber {
  /** Its digits, split where separators stand. */
  readonly groups: readonly string[]
  readonly index: number
  readonly text: string
  /** Whether a letter stands directly before its first digit. */
  readonly isAfterLetter: boolean
  /** Whether a letter stands directly after its last digit. */
  readonly isBeforeLetter: boolean
}

const LETTER = /^[A-Za-z]$/u

/** Every written number, in the order of the text. */
export function writtenNumbers(text: string): WrittenNumber[] {
  return Array.from(text.matchAll(WRITTEN_NUMBER), ({ 0: written, index }) => ({
    groups: groupsOf(written),
    index,
    text: written,
    isAfterLetter: LETTER.test(text.charAt(index - 1)),
    isBeforeLetter: LETTER.test(text.charAt(index + written.length)),
  }))
}

function groupsOf(written: string): string[] {
  if (/^[0-9]+$/u.test(written)) return [written]
  const groups = ['']
  for (const match of written.matchAll(TOKEN)) {
    const form = DIGIT_FORMS[match.slice(1).findIndex(Boolean)]
    if (form) groups.push(`${groups.pop() ?? ''}${form[1](match[0])}`)
    else if (groups.at(-1) !== '') groups.push('')
  }
  return groups
}
