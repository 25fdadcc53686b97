import { takeSecret } from './secret.ts'
import type { Variables } from './variables.ts'

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
