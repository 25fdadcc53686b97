import type { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { holdsCardNumber } from './card-numbers/find-cards.ts'
import { parseInstant } from './times.ts'
import { toE164 } from './phone.ts'
import { isPlainText } from './plain-text.ts'

/** No field of a body is longer, except a URL. A format is checked even when a text is refused for its length, so this bounds the work. */
const LONGEST_PLAIN_TEXT = 512

/** Readable text without a card number: people paste card numbers into text fields, and none may be stored. */
function isStorableText(text: string): boolean {
  return isPlainText(text) && (text.length > LONGEST_PLAIN_TEXT || !holdsCardNumber(text))
}

const EMAIL = addFormats.default.get('email')

/** Registers the values of `format` that our schemas use, beside those of JSON Schema. */
export function addOurFormats(ajv: Ajv): void {
  addFormats.default(ajv, ['date', 'uri'])
  ajv.addFormat('email', (text) => EMAIL instanceof RegExp && EMAIL.test(text) && isStorableText(text))
  // RFC 3339, less what `Date` cannot represent: ajv-formats also accepts leap seconds and a zone of hours only.
  ajv.addFormat('date-time', (text) => text.includes('T') && parseInstant(text) !== undefined)
  ajv.addFormat('plain-text', isStorableText)
  ajv.addFormat('phone', (text) => toE164(text) !== undefined)
  ajv.addFormat('https-url', isHttps)
  // In the sandbox, merchants who develop on their own machine return shoppers to http://localhost.
  ajv.addFormat('return-url-sandbox', (text) => (text.startsWith('https://') || LOCALHOST.test(text)) && isUrl(text))
}

/** What a merchant reads about a bad value; the name of our own format alone would say nothing. */
export function formatMessage(format: string): string {
  return FORMAT_MESSAGES[format] ?? `must be a valid ${format}`
}

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  'plain-text': 'must have no control characters and be well-formed Unicode',
  'https-url': 'must be an HTTPS URL',
  'return-url-sandbox': 'must be an HTTPS URL, or begin with http://localhost',
  date: 'must be a day of the calendar, such as 2026-11-21',
  'date-time': 'must be a time with its zone, such as 2026-11-21T10:00:00Z',
}

const LOCALHOST = /^http:\/\/localhost(:\d+)?([/?#]|$)/u

/** Names in ASCII (RFC 5890 for all others), IPv4 and IPv6 addresses, with a port. `URL` would also accept `a*b` or letters that look alike. */
const AUTHORITY = /^https?:\/\/(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?(?:[/?#]|$)/u

function isUrl(text: string): boolean {
  // Browsers read a backslash as a slash, and user information before an @ makes one host look like another.
  return isPlainText(text) && !/[\s\\]/u.test(text) && AUTHORITY.test(text) && URL.canParse(text) && !holdsCardNumber(text)
}

function isHttps(text: string): boolean {
  return text.startsWith('https://') && isUrl(text)
}
