import { holdsCardNumber, MIN_CARD_DIGITS, type NetworkReport } from '@gateway/contracts'

const CODE_FIELDS = ['rrn', 'reason', 'reason_code', 'network_code'] as const
/** A field of a report that may hold a card number. */
export type CardField = 'reference' | (typeof CODE_FIELDS)[number] | 'payer'

/** The texts of reports about payments and refunds. Their other fields are enumerations, amounts, or ids of the gateway. */
export type Texts = Partial<Pick<NetworkReport, CardField>>
type Changes = { -readonly [Field in Exclude<CardField, 'reference'>]?: Texts[Field] | undefined }

export interface SafeReport<T> {
  /** The report itself when nothing had to be changed. */
  readonly report: T
  /** Each of these fields is left out, except the reference: connector and gateway find the money by it. */
  readonly cardsIn: readonly CardField[]
}

const NOT_IN_CODES = /[^A-Za-z0-9 .,:;_/()'+-]/gu
const NOT_IN_ADDRESSES = /[^!-~]/gu
/** Control characters, those that turn the direction of reading, and halves of characters. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu
const MANY_DIGITS = /\d(?:[._-]?\d){12}/u
const DIGIT_OF_ANY_SCRIPT = /\p{Nd}/gu

/**
 * A report as it may be stored, answered and logged. Acquirers fill these texts as they like: a text that may hold a card number is
 * left out, and so are characters that belong in no code, address or name. Source: design, section 11.
 */
export function safeReport<T extends Texts>(report: T): SafeReport<T> {
  const { reference = '' } = report
  const cardsIn: CardField[] = MANY_DIGITS.test(reference) && holdsCardNumber(reference) ? ['reference'] : []
  const changes: Changes = {}
  for (const field of CODE_FIELDS) {
    const given = report[field]
    if (given === undefined) continue
    const kept = without(given, NOT_IN_CODES)
    // Ids and codes of banks may have the length of a card number. A sentence is left out for any such number.
    const policy = field === 'reason' ? 'any' : 'whole'
    const isCard = holdsCardNumber(given, policy) || (kept !== given && holdsCardNumber(kept, policy))
    if (isCard) cardsIn.push(field)
    if (isCard || kept !== given) changes[field] = isCard || kept === '' ? undefined : kept
  }
  if (report.payer) {
    const { name, vpa } = report.payer
    const kept = { name: without(name, NOT_IN_NAMES), vpa: without(vpa, NOT_IN_ADDRESSES) }
    const isCard =
      hasManyDigits(name) || [...new Set([name, vpa, kept.name, kept.vpa])].some((text) => holdsCardNumber(text, 'any'))
    if (isCard) cardsIn.push('payer')
    if (isCard || kept.name !== name || kept.vpa !== vpa) changes.payer = isCard ? undefined : kept
  }
  return { report: Object.keys(changes).length === 0 ? report : { ...report, ...changes }, cardsIn }
}

/** Without the unwanted characters; white space becomes one space, so that words stay apart. */
function without(text: string, unwanted: RegExp): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(unwanted, '').trim()
}

/** No name has so many digits; `findCards` does not know the digits of every script. */
function hasManyDigits(name: string): boolean {
  return (name.match(DIGIT_OF_ANY_SCRIPT)?.length ?? 0) >= MIN_CARD_DIGITS
}

const EXCERPT_CHARACTERS = 1024
/** What could be part of a card number: digits in any script, and long runs that could be encoded text. */
const DIGIT = /\p{Nd}/gu
const LONG_TOKEN = /[A-Za-z0-9+/_=-]{16,}/gu

/** The start of the body without anything that could be a card number or a secret. */
export function masked(body: Buffer): string {
  const text = body.toString('utf8').slice(0, EXCERPT_CHARACTERS)
  return text.replaceAll(LONG_TOKEN, '[…]').replaceAll(DIGIT, '#')
}

/** An id of the network without runs of digits that could be a card number. */
export function maskedId(id: string): string {
  return id.replaceAll(/\d(?:[._-]?\d){8,}/gu, (digits) => '#'.repeat(digits.length))
}
