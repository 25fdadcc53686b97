import { takeSecret } from './secret.ts'

/** What a configuration is read from, usually `process.env`. An empty value counts as none. */
export type Variables = Readonly<Record<string, string | undefined>>

/** One variable as a service reads it: the table in docs/configuration.md is made of these. */
export interface Declaration {
  readonly name: string
  readonly meaning: string
  /** Its format and unit, in words. */
  readonly type: string
  /** As it would be written; `undefined` when there is none. */
  readonly fallback?: string | undefined
  readonly required?: boolean
  /** May also come from the file that `<NAME>_FILE` names. */
  readonly secret?: boolean
  /** Refused in production. */
  readonly sandboxOnly?: boolean
}

/** Variables, what was read of them, and what was wrong with it. */
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

  /** Records a mistake that only the service can see. */
  reject(problem: string): void {
    this.problems.push(problem)
  }

  /** Records a mistake that is none in the sandbox. */
  rejectInProduction(problem: string): void {
    if (this.isProduction) this.reject(problem)
  }

  /** In production no two secrets of a service may be the same: who knows one would know the other. */
  checkSecretsDiffer(): void {
    const names = new Map<string, string>()
    for (const [name, value] of this.#secrets) {
      const other = names.get(value)
      if (other !== undefined) this.rejectInProduction(`${name} must not be the same as ${other}`)
      names.set(value, name)
    }
  }

  /** Reads one variable and remembers that it was read; a missing one is a mistake when it is required. */
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
