import { EnvReader, type Declaration, type Environment, type Variables } from '@gateway/service-kit'
import type { Service } from './services.ts'

/** One variable as one service reads it in one environment. */
export interface Reading extends Declaration {
  readonly service: string
  readonly environment: Environment
  /** An optional variable; the service reads this one only when that one is set. */
  readonly onlyWith: string | undefined
}

/**
 * Everything that a service reads, in both environments. Each optional variable is also set in turn, since some decide whether
 * the service reads others.
 */
export function readingsOf({ name: service, read }: Service): Reading[] {
  return (['sandbox', 'production'] as const).flatMap((environment) => {
    const readWith = (variables: Variables, onlyWith?: string): Reading[] =>
      [...readerOf(read, { ENVIRONMENT: environment, ...variables }).declarations.values()].map((declaration) => {
        return { ...declaration, service, environment, onlyWith }
      })
    const always = readWith({})
    const known = new Set(always.map(({ name }) => name))
    const conditional = always
      .filter(({ required, fallback }) => required !== true && fallback === undefined)
      .flatMap(({ name }) => readWith({ [name]: 'given' }, name))
    return [...always, ...conditional.filter(({ name }) => !known.has(name))]
  })
}

/** True when a service refuses to start with `ENVIRONMENT=production`. */
export function refusesProduction({ read }: Service): boolean {
  return readerOf(read, { ENVIRONMENT: 'production' }).problems.some((problem) => problem.startsWith('ENVIRONMENT '))
}

function readerOf(read: Service['read'], variables: Variables): EnvReader {
  const env = new EnvReader(variables)
  read(env)
  return env
}
