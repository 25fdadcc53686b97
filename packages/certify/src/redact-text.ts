/** Longer texts are not shown: a cut text is no JSON any more, so its hidden fields would not be found. */
export const MAX_READ_LENGTH = 64 * 1024
export const NOT_SHOWN = `[not shown: longer than ${MAX_READ_LENGTH} characters]`
export const HIDDEN = '[redacted]'

/** Names of fields with personal data, checkout links or secrets contain one of these words, without punctuation. */
const HIDDEN_WORDS =
  'customer|payer|payee|e-?mail|phone|mobile|vpa|upi_?id|checkout|intent|token|secret|passw|authorization|cookie|signature|credential|api_?key'
const HIDDEN_NAME = new RegExp(HIDDEN_WORDS, 'iu')

export function isHiddenName(name: string): boolean {
  return HIDDEN_NAME.test(name)
}

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

/** Hides parts of texts. */
export interface TextRedactor {
  /** Hides secrets, tokens, checkout links and personal data that the text itself shows. */
  text(text: string): string
  /** Also hides what follows a hidden name, for text that is not JSON. */
  lines(text: string): string
}

/** @param secrets hidden in every form in which JSON, HTML and URLs write them, with or without `whsec_` */
export function createTextRedactor(secrets: readonly string[]): TextRedactor {
  const known = secrets.flatMap((secret) => patternsOf(secret))
  const text: TextRedactor['text'] = (shown) => {
    const withoutSecrets = known.reduce((rest, pattern) => rest.replaceAll(pattern, HIDDEN), shown)
    return PATTERNS.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), withoutSecrets)
  }
  return { text, lines: (shown) => text(shown).replaceAll(NAMED, `$1${HIDDEN}`) }
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
