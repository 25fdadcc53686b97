import { parseJson } from './json.ts'

/** Headers that help to understand an exchange and contain no secret. Of signatures, only their number is shown. */
const SHOWN = /^(?:webhook-(?:id|timestamp|signature|attempt|sequence|test)|content-type|retry-after|x-request-id)$/u
const MAX_SHOWN_LENGTH = 2000
const TOO_DEEP = '[not shown: nested too deeply]'

/**
 * Hides what a report must not show.
 *
 * @param secrets hidden in every text: a receiver's error page may print its environment
 */
export function createRedactor(secrets: readonly string[]) {
  const redactor = createTextRedactor(secrets)
  return {
    /** A line of text, such as the reason of a result. */
    text: (text: string): string => redactor.text(text),
    headers: (headers: Readonly<Record<string, string>>): Record<string, string> => {
      const shown = Object.entries(headers).filter(([name]) => SHOWN.test(name.toLowerCase()))
      return Object.fromEntries(shown.map(([name, value]) => [name.toLowerCase(), redactor.text(redactHeader(name, value))]))
    },
    /** JSON without the hidden fields, or text without what follows their names. JSON without them keeps its spacing. */
    body: (body: string): string => {
      if (body.length > MAX_READ_LENGTH) return NOT_SHOWN
      const text = shownOf(body, redactor)
      return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}… (${text.length} characters)` : text
    },
  }
}

/** The address without user, password and query, which may contain secrets. */
export function redactUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

function redactHeader(name: string, value: string): string {
  if (name.toLowerCase() !== 'webhook-signature') return value
  return value
    .split(' ')
    .map((signature) => `${signature.slice(0, 3)}…`)
    .join(' ')
}

function shownOf(body: string, redactor: TextRedactor): string {
  const lines = redactor.lines(body)
  const value = parseJson(body)
  if (value === undefined) return lines
  try {
    const hidden = JSON.stringify(hide(value, redactor))
    // The text itself is searched, too: JSON may repeat a name, and only the last value is parsed.
    return lines === body && hidden === JSON.stringify(value) ? body : hidden
  } catch {
    return TOO_DEEP
  }
}

function hide(value: unknown, redactor: TextRedactor): unknown {
  if (typeof value === 'string') return hideInText(value, redactor)
  if (Array.isArray(value)) return value.map((one) => hide(one, redactor))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [
    redactor.text(name),
    HIDDEN_NAME.test(name) ? HIDDEN : hide(field, redactor),
  ])
  return Object.fromEntries(fields)
}

/** A text may itself be JSON. */
function hideInText(text: string, redactor: TextRedactor): string {
  return /^\s*[[{"]/u.test(text) ? shownOf(text, redactor) : redactor.text(text)
}

/** Longer texts are not shown: a cut text is no JSON any more, so its hidden fields would not be found. */
export const MAX_READ_LENGTH = 64 * 1024
export const NOT_SHOWN = `[not shown: longer than ${MAX_READ_LENGTH} characters]`
const HIDDEN = '[redacted]'

/** Names of fields with personal data, checkout links or secrets contain one of these words, without punctuation. */
const HIDDEN_WORDS =
  'customer|payer|payee|e-?mail|phone|mobile|vpa|upi_?id|checkout|intent|token|secret|passw|authorization|cookie|signature|credential|api_?key'
const HIDDEN_NAME = new RegExp(HIDDEN_WORDS, 'iu')

/** A slash as it is, in JSON, in HTML or in a URL. */
const SLASH = String.raw`(?:\\{0,8}\/|\\{1,8}u002f|&(?:amp;)?(?:#0{0,4}47|#x0{0,4}2f|sol);|%(?:25)?2f)`
const AT = '(?:@|\\\\{1,8}u0040|&(?:amp;)?(?:#0{0,4}64|#x0{0,4}40|commat);|%(?:25)?40)'
/** Repetitions are bounded: a receiver's text must not keep the process busy. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Bearer|Basic|DPoP)(?:\s|%20|\+){1,8}[\w.~+/=-]+/giu, HIDDEN],
  // JWS and JWE (RFC 7515, RFC 7516): their first part is the Base64 of a JSON object.
  [/eyJ[\w+/=-]+(?:\.[\w+/=-]*)*/gu, HIDDEN],
  [new RegExp(String.raw`checkout${SLASH}[^\s"'<>]+`, 'giu'), `checkout/${HIDDEN}`],
  [new RegExp(String.raw`\bupi:(?:${SLASH}){2}[^\s"'<>]+`, 'giu'), HIDDEN],
  // E-mail addresses and VPAs.
  [new RegExp(String.raw`[\w.+-]{1,64}${AT}[\w.-]+`, 'giu'), HIDDEN],
  // Indian mobile numbers within a sentence; a number alone may be an order id.
  [/(?<=[\s:=>(,])(?:\+?91[\s-]?)?[6-9]\d{9}(?!\w)/gu, HIDDEN],
]
/** `customer_email: …` in text that is not JSON, up to the end of the line. */
const NAMED = new RegExp(
  String.raw`((?:${HIDDEN_WORDS})[\w-]{0,40}(?:["'\\\]]|&quot;|&#\w{1,5};){0,8}\s{0,8}(?:=>|=|:))[^\r\n]*`,
  'giu',
)

type TextRedactor = ReturnType<typeof createTextRedactor>

/** @param secrets hidden in every form in which JSON, HTML and URLs write them, with or without `whsec_` */
function createTextRedactor(secrets: readonly string[]) {
  const known = secrets.flatMap((secret) => patternsOf(secret))
  /** Hides secrets, tokens, checkout links and personal data that the text itself shows. */
  const text = (shown: string): string => {
    const withoutSecrets = known.reduce((rest, pattern) => rest.replaceAll(pattern, HIDDEN), shown)
    return PATTERNS.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), withoutSecrets)
  }
  /** Also hides what follows a hidden name, for text that is not JSON. */
  const lines = (shown: string): string => text(shown).replaceAll(NAMED, `$1${HIDDEN}`)
  return { text, lines }
}

const SIGNING_SECRET_PREFIX = 'whsec_'
const NAMES: Readonly<Record<string, string>> = { '/': 'sol', '+': 'plus', '=': 'equals', '-': 'hyphen|dash', _: 'lowbar' }
/** The alphabets of Base64 and of Base64url write these characters differently. */
const ALTERNATIVES: Readonly<Record<string, string>> = { '/': '/_', '+': '+-' }

function patternsOf(secret: string): RegExp[] {
  const core = secret.startsWith(SIGNING_SECRET_PREFIX) ? secret.slice(SIGNING_SECRET_PREFIX.length) : secret
  // The padding says nothing, and texts may lack it.
  const significant = core.replace(/[=]+$/u, '')
  if (significant === '') return []
  const characters = Array.from(significant, (character) => anyFormOf(ALTERNATIVES[character] ?? character))
  return [new RegExp(`(?:${SIGNING_SECRET_PREFIX})?${characters.join('')}(?:${anyFormOf('=')}){0,2}`, 'giu')]
}

/** These characters, or one of them as JSON, HTML or a URL writes it. */
function anyFormOf(characters: string): string {
  if (/^[a-z\d]$/iu.test(characters)) return characters
  return `(?:${Array.from(characters, formsOf).join('|')})`
}

function formsOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hexadecimal = code.toString(16)
  const name = NAMES[character]
  const entities = [`#0{0,4}${code}`, `#x0{0,4}${hexadecimal}`, ...(name === undefined ? [] : [name])].join('|')
  const escaped = String.raw`\\{1,8}u${hexadecimal.padStart(4, '0')}`
  return String.raw`\\{0,8}\u{${hexadecimal}}|${escaped}|&(?:amp;){0,2}(?:${entities});|%(?:25)?${hexadecimal.padStart(2, '0')}`
}
