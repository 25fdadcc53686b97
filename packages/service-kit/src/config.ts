/** Reads a service's environment once: validated, frozen, every mistake named at once, no default secrets. */
export type Environment = 'sandbox' | 'production'

/** A configuration that cannot be run with. The message names every variable and never shows a value. */
export class ConfigInvalid extends Error {
  constructor(problems: readonly string[]) {
    super(`the configuration cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

type Variables = Readonly<Record<string, string | undefined>>

/** Reads everything, then throws `ConfigInvalid` if anything was wrong. */
export function readConfig<T extends object>(variables: Variables, read: (env: EnvReader) => T): Readonly<T> {
  const reader = new EnvReader(variables)
  const config = read(reader)
  if (reader.problems.length > 0) throw new ConfigInvalid(reader.problems)
  return Object.freeze(config)
}

const DURATION = /^(\d+)(ms|s|m|h|d)$/u
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `"10s"` in milliseconds; units are ms, s, m, h and d. `undefined` when it is no duration. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

export class EnvReader {
  readonly problems: string[] = []
  readonly #variables: Variables

  constructor(variables: Variables) {
    this.#variables = variables
  }

  /** Records a mistake that only the service can see. */
  reject(problem: string): void {
    this.problems.push(problem)
  }

  optional(name: string): string | undefined {
    const value = this.#variables[name]
    return value === undefined || value === '' ? undefined : value
  }

  text(name: string, fallback?: string): string {
    const value = this.optional(name) ?? fallback
    if (value === undefined) this.reject(`${name} is required`)
    return value ?? ''
  }

  oneOf<const Choices extends readonly [string, ...string[]]>(
    name: string,
    choices: Choices,
    fallback?: Choices[number],
  ): Choices[number] {
    const value = this.text(name, fallback)
    const choice = choices.find((candidate) => candidate === value)
    if (choice === undefined && value !== '') this.reject(`${name} must be one of ${choices.join(', ')}`)
    return choice ?? choices[0]
  }

  environment(): Environment {
    return this.oneOf('ENVIRONMENT', ['sandbox', 'production'])
  }

  integer(name: string, fallback: number, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number {
    const text = this.optional(name)
    if (text === undefined) return fallback
    const value = /^\d{1,15}$/u.test(text) ? Number(text) : NaN
    if (value >= min && value <= max) return value
    this.reject(`${name} must be a whole number from ${min} to ${max}`)
    return fallback
  }

  port(name: string, fallback: number): number {
    return this.integer(name, fallback, { min: 0, max: 65_535 })
  }

  /** A duration such as `10s`, in milliseconds. */
  durationMs(name: string, fallback: string): number {
    return this.durationsMs(name, fallback)[0] ?? 0
  }

  /** Durations separated by commas, in milliseconds; at least one. */
  durationsMs(name: string, fallback: string): number[] {
    const durations = this.text(name, fallback)
      .split(',')
      .map((part) => parseDurationMs(part.trim()))
    if (durations.every((duration) => duration !== undefined)) return durations
    this.reject(`${name} must be durations such as 10s or 5m, separated by commas`)
    return []
  }

  list(name: string): string[] {
    return (this.optional(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  }

  /** An address with one of the schemes, without a slash at its end. */
  url(name: string, schemes: readonly string[], fallback?: string): string {
    const value = this.text(name, fallback)
    if (value === '') return ''
    if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol)) {
      this.reject(`${name} must be a URL with ${schemes.join(' or ')}`)
    }
    return value.replace(/\/+$/u, '')
  }

  /**
   * The address of a hop that carries tokens, cards or callbacks: production refuses plain HTTP (design, section 2).
   */
  serviceUrl(name: string, environment: Environment, fallback?: string): string {
    return this.url(name, environment === 'production' ? ['https:'] : ['http:', 'https:'], fallback)
  }

  /** A secret that callers send; long enough not to be guessed. */
  secret(name: string): string {
    const value = this.text(name)
    if (value !== '' && value.length < 32) this.reject(`${name} must have at least 32 characters`)
    return value
  }

  /** A 256-bit key in base64 or base64url. */
  key(name: string): Buffer {
    const bytes = Buffer.from(this.text(name), 'base64')
    if (bytes.length !== 32 && this.optional(name) !== undefined) this.reject(`${name} must be 32 bytes in base64`)
    return bytes
  }
}
