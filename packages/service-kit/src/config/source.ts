import { readFileSync } from 'node:fs'

/** One variable that a service reads. The table in docs/configuration.md is generated from these. */
export interface Declaration {
  readonly name: string
  readonly meaning: string
  /** Its format and unit, in words. */
  readonly type: string
  /** The default, as it would be written in the environment. */
  readonly fallback?: string | undefined
  readonly required?: boolean
  /** May also come from the file named by `<NAME>_FILE`. */
  readonly secret?: boolean
  /** Refused in production. */
  readonly sandboxOnly?: boolean
}

/** Variables, the declarations of those that were read, and the problems found. */
export class ConfigSource {
  readonly problems: string[] = []
  readonly declarations = new Map<string, Declaration>()
  protected readonly isProduction: boolean
  readonly #variables: Variables
  readonly #secrets = new Map<string, string>()

  constructor(variables: Variables) {
    this.#variables = variables
    this.isProduction = variables['ENVIRONMENT'] === 'production'
  }

  /** Adds a problem, once. */
  reject(problem: string): void {
    if (!this.problems.includes(problem)) this.problems.push(problem)
  }

  /** Adds a problem in production only. */
  rejectInProduction(problem: string): void {
    if (this.isProduction) this.reject(problem)
  }

  /** Node's switch that accepts every certificate would undo TLS on each hop. */
  checkCertificatesAreVerified(): void {
    if (this.#variables['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
      this.rejectInProduction('NODE_TLS_REJECT_UNAUTHORIZED must not be 0')
  }

  /** In production, no two secrets of a service may be equal: one leaked secret would reveal the other. */
  checkSecretsDiffer(): void {
    const names = new Map<string, string>()
    for (const [name, value] of this.#secrets) {
      const other = names.get(value)
      if (other !== undefined) this.rejectInProduction(`${name} must not be the same as ${other}`)
      names.set(value, name)
    }
  }

  /** Reads one variable and records its declaration. A missing required variable is a problem. */
  protected take(declaration: Declaration): string | undefined {
    const { name, required, secret, sandboxOnly } = declaration
    this.declarations.set(name, declaration)
    const value = secret === true ? this.#takeSecret(declaration) : this.#variables[name] || undefined
    if (value === undefined && required === true && !this.#isRejected(name)) this.reject(`${name} is required`)
    if (value !== undefined && sandboxOnly === true) this.rejectInProduction(`${name} must not be set in production`)
    return value
  }

  #takeSecret({ name }: Declaration): string | undefined {
    const given = takeSecret(this.#variables, name)
    if (given === undefined) return undefined
    if ('problem' in given) {
      this.reject(given.problem)
      return undefined
    }
    this.#secrets.set(name, given.value)
    return given.value
  }

  #isRejected(name: string): boolean {
    return this.problems.some((problem) => problem.startsWith(`${name} and `) || problem.startsWith(`${name}_FILE `))
  }
}

/** Random keys hardly ever have fewer distinct bytes, or fewer distinct differences between neighbouring bytes. */
const MIN_DISTINCT_BYTES = 12
const MIN_DISTINCT_CHARACTERS = 8

/** Longer than any secret; a longer file is the wrong one. */
const MAX_FILE_CHARACTERS = 65_536

/** Words of six letters or more: a random secret contains one once in ten million. */
const PLACEHOLDER = /change.?me|example|password|replace|secret|placeholder|default|insert|generate/iu

/** Example secrets that are public: from the specification of Standard Webhooks. */
const PUBLISHED = ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']

/** The given secret, or why it could not be read; `undefined` when none was given. */
export type GivenSecret = { readonly value: string } | { readonly problem: string } | undefined

/** Reads a secret from `<NAME>`, or from the file named by `<NAME>_FILE` without its trailing newline. */
function takeSecret(variables: Variables, name: string): GivenSecret {
  const value = variables[name] ?? ''
  const file = variables[`${name}_FILE`] ?? ''
  if (value !== '' && file !== '') return { problem: `${name} and ${name}_FILE must not both be set` }
  if (file === '') return value === '' ? undefined : { value }
  const text = readText(file)
  if (text === undefined) return { problem: `${name}_FILE must be a file that can be read` }
  if (text === '' || text.length > MAX_FILE_CHARACTERS) return { problem: `${name}_FILE must be a file that holds one secret` }
  return { value: text }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/u, '')
  } catch {
    return undefined
  }
}

/** True for text that looks typed or copied, not random. */
export function isPlaceholder(text: string): boolean {
  return new Set(text).size < MIN_DISTINCT_CHARACTERS || hasPlaceholder(text)
}

/** True for text that contains a word such as `change-me`, or a public example secret. */
export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text) || PUBLISHED.some((published) => text.includes(published))
}

/** True for a key that is not random: a repeated byte, counted up, or plain text. */
export function isTyped(bytes: Uint8Array): boolean {
  const steps = bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0))
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  return isText || new Set(bytes).size < MIN_DISTINCT_BYTES || new Set(steps).size < MIN_DISTINCT_BYTES
}

/** The variables to read, usually `process.env`. An empty value counts as unset. */
export type Variables = Readonly<Record<string, string | undefined>>
