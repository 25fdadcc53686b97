import { parseDurationMs, usableMs, isUrl, passwordIn, urlType } from './values.ts'
import { hasPlaceholder, isPlaceholder, isTyped, ConfigSource } from './source.ts'

export type Environment = 'sandbox' | 'production'

const KEY_BYTES = 32
const KEY_TYPE = `${KEY_BYTES} random bytes in base64`
const MIN_SECRET_CHARACTERS = 32
const SECRET_TYPE = `at least ${MIN_SECRET_CHARACTERS} random characters`
const MAX_PORT = 65_535
const LONGEST_PAUSE_MS = 60_000
const HTTP = ['http:', 'https:']
const SERVICE_URL = 'URL with `https:`; in the sandbox also `http:`'

/**
 * Reads variables by their kind, each with one line on its meaning. A bad value does not stop the reader: it adds an entry to
 * `problems` and returns a value of the right type.
 */
export class EnvReader extends ConfigSource {
  environment(): Environment {
    return this.oneOf('ENVIRONMENT', ['sandbox', 'production'], undefined, 'Which of the two environments this is')
  }

  text(name: string, fallback: string, meaning: string, type = 'text'): string {
    return this.take({ name, meaning, type, fallback }) ?? fallback
  }

  optional(name: string, meaning: string, type = 'text'): string | undefined {
    return this.take({ name, meaning, type })
  }

  oneOf<const Choices extends readonly [string, ...string[]]>(
    name: string,
    choices: Choices,
    fallback: Choices[number] | undefined,
    meaning: string,
  ): Choices[number] {
    const type = choices.map((choice) => `\`${choice}\``).join(', ')
    const value = this.take({ name, meaning, type, fallback, required: fallback === undefined })
    const choice = choices.find((candidate) => candidate === value)
    if (choice === undefined && value !== undefined) this.reject(`${name} must be one of ${choices.join(', ')}`)
    return choice ?? fallback ?? choices[0]
  }

  integer(
    name: string,
    fallback: number,
    meaning: string,
    { min = 0, max = Number.MAX_SAFE_INTEGER, unit = 'whole number' } = {},
  ): number {
    const range = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `${min} to ${max}`
    const text = this.take({ name, meaning, type: `${unit}, ${range}`, fallback: String(fallback) })
    return this.#wholeNumber(name, text, { min, max }) ?? fallback
  }

  /** A port; 0 picks a free one. */
  port(name: string, fallback: number, meaning: string): number {
    const text = this.take({ name, meaning, type: 'port', fallback: String(fallback) })
    return this.#wholeNumber(name, text, { min: 0, max: MAX_PORT }) ?? fallback
  }

  optionalPort(name: string, meaning: string): number | undefined {
    return this.#wholeNumber(name, this.take({ name, meaning, type: 'port' }), { min: 0, max: MAX_PORT })
  }

  /** A duration such as `10s`, in milliseconds. */
  durationMs(name: string, fallback: string, meaning: string): number {
    const durationMs = usableMs(this.text(name, fallback, meaning, 'duration'))
    if (durationMs === undefined) this.reject(`${name} must be a duration such as 10s or 5m, and not 0`)
    return durationMs ?? 0
  }

  /** A pause such as `5s`, in milliseconds; `0s` is allowed, one minute is the maximum. */
  pauseMs(name: string, fallback: string, meaning: string): number {
    const pauseMs = parseDurationMs(this.text(name, fallback, meaning, 'duration; `0s` for none').trim())
    if (pauseMs !== undefined && pauseMs <= LONGEST_PAUSE_MS) return pauseMs
    this.reject(`${name} must be a duration such as 5s or 0s, and 1m at most`)
    return 0
  }

  /** Durations separated by commas, in milliseconds; at least one. */
  durationsMs(name: string, fallback: string, meaning: string): number[] {
    const durations = this.text(name, fallback, meaning, 'durations, separated by commas').split(',').map(usableMs)
    if (durations.every((duration) => duration !== undefined)) return durations
    this.reject(`${name} must be durations such as 10s or 5m, separated by commas, and not 0`)
    return []
  }

  /** Items separated by commas; empty when the variable is not set. `items` names them in the generated table. */
  list(name: string, items: string, meaning: string): string[] {
    return splitList(this.take({ name, meaning, type: `${items}, separated by commas` }))
  }

  /** Like `list`, but refused in production. */
  sandboxList(name: string, items: string, meaning: string): string[] {
    return splitList(this.take({ name, meaning, type: `${items}, separated by commas`, sandboxOnly: true }))
  }

  /** A URL with one of the schemes; a trailing slash is removed. */
  url(name: string, schemes: readonly string[], meaning: string): string {
    return this.#url(name, this.take({ name, meaning, type: urlType(schemes), required: true }), schemes) ?? ''
  }

  /** A URL that holds a password and may therefore come from a file. */
  secretUrl(name: string, schemes: readonly string[], meaning: string): string {
    const value = this.take({ name, meaning, type: urlType(schemes), required: true, secret: true })
    return this.#secretUrl(name, value, schemes)
  }

  /** Several that stand for one, the nodes of a cluster: separated by commas, which stay between them. */
  secretUrls(name: string, schemes: readonly string[], meaning: string): string {
    const type = `${urlType(schemes)}; several, separated by commas, for the nodes of a cluster`
    const value = this.take({ name, meaning, type, required: true, secret: true })
    if (value === undefined) return ''
    return value
      .split(',')
      .map((url) => this.#secretUrl(name, url.trim(), schemes))
      .join(',')
  }

  /** The address of a hop that carries tokens, cards or callbacks: production refuses plain HTTP (design, section 2). */
  serviceUrl(name: string, meaning: string): string {
    return this.#url(name, this.take({ name, meaning, type: SERVICE_URL, required: true }), this.#serviceSchemes()) ?? ''
  }

  optionalServiceUrl(name: string, meaning: string): string | undefined {
    return this.#url(name, this.take({ name, meaning, type: SERVICE_URL }), this.#serviceSchemes())
  }

  /** The address of what is only there for trying: production refuses it. */
  sandboxUrl(name: string, meaning: string): string | undefined {
    return this.#url(name, this.take({ name, meaning, type: urlType(HTTP), sandboxOnly: true }), HTTP)
  }

  /** A secret that callers send; long enough not to be guessed, and in production drawn rather than typed. */
  secret(name: string, meaning: string): string {
    return this.#checkedSecret(name, this.secretText(name, SECRET_TYPE, meaning))
  }

  /** Like `secret`; `undefined` when the variable is not set. */
  optionalSecret(name: string, meaning: string): string | undefined {
    const value = this.take({ name, meaning, type: SECRET_TYPE, secret: true })
    return value === undefined ? undefined : this.#checkedSecret(name, value)
  }

  /** A 256-bit key in base64 or base64url. */
  key(name: string, meaning: string): Buffer {
    return this.#checkedKey(name, this.secretText(name, KEY_TYPE, meaning))
  }

  /** One such key, or two separated by a comma, which are both live while the key is replaced. */
  liveKeys(name: string, meaning: string): [Buffer, ...Buffer[]] {
    const text = this.secretText(name, `${KEY_TYPE}; two, separated by a comma, while the key is replaced`, meaning)
    const [first = '', ...others] = text.split(',').map((part) => part.trim())
    if (others.length > 1) this.reject(`${name} must be one or two keys`)
    if (others.includes(first)) this.reject(`${name} must be two different keys`)
    // Refuse an empty key before or after a comma.
    if (text !== '' && [first, ...others].includes('')) this.reject(`${name} must be ${KEY_BYTES} bytes in base64`)
    return [this.#checkedKey(name, first), ...others.map((key) => this.#checkedKey(name, key))]
  }

  /** A required secret of a form that only the caller knows; `type` says it. Empty when it is missing. */
  secretText(name: string, type: string, meaning: string): string {
    return this.take({ name, meaning, type, required: true, secret: true }) ?? ''
  }

  /** Secrets separated by commas. */
  secretList(name: string, type: string, meaning: string, { required = true } = {}): string[] {
    return splitList(this.take({ name, meaning, type, secret: true, required }))
  }

  #checkedKey(name: string, value: string): Buffer {
    const bytes = Buffer.from(value, 'base64')
    if (value === '') return bytes
    if (bytes.length !== KEY_BYTES) this.reject(`${name} must be ${KEY_BYTES} bytes in base64`)
    else if (isTyped(bytes)) this.rejectInProduction(`${name} must be random bytes`)
    return bytes
  }

  #checkedSecret(name: string, value: string): string {
    if (value === '') return ''
    if (value.length < MIN_SECRET_CHARACTERS) this.reject(`${name} must have at least ${MIN_SECRET_CHARACTERS} characters`)
    else if (isPlaceholder(value)) this.rejectInProduction(`${name} must be random`)
    return value
  }

  #wholeNumber(name: string, text: string | undefined, { min, max }: { min: number; max: number }): number | undefined {
    if (text === undefined) return undefined
    const value = /^\d{1,15}$/u.test(text) ? Number(text) : NaN
    if (value >= min && value <= max) return value
    this.reject(`${name} must be a whole number from ${min} to ${max}`)
    return undefined
  }

  #url(name: string, value: string | undefined, schemes: readonly string[]): string | undefined {
    if (value === undefined) return undefined
    if (!isUrl(value, schemes)) this.reject(`${name} must be a URL with ${schemes.join(' or ')}`)
    return value.replace(/\/+$/u, '')
  }

  #secretUrl(name: string, value: string | undefined, schemes: readonly string[]): string {
    const { username, password } = passwordIn(value ?? '')
    if (password !== '' && (password === username || hasPlaceholder(password)))
      this.rejectInProduction(`${name} must not hold a password that anybody could guess`)
    return this.#url(name, value, schemes) ?? ''
  }

  #serviceSchemes(): readonly string[] {
    return this.isProduction ? ['https:'] : HTTP
  }
}

function splitList(text = ''): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
