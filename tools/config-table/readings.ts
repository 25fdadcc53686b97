import { EnvReader, type Declaration, type Environment, type Variables } from '@gateway/service-kit'
import type { Service } from './services.ts'

/** One variable as one service reads it in one environment. */
export interface Reading extends Declaration {
  readonly service: string
  readonly environment: Environment
  /** The optional variable without which this one is not read at all. */
  readonly onlyWith: string | undefined
}

/**
 * Everything that a service reads in both environments. Each optional variable is given in turn, since some of them
 * decide whether others are read.
 */
export function readingsOf({ name: service, read }: Service): Reading[] {
  return (['sandbox', 'production'] as const).flatMap((environment) => {
    const always = declarationsOf(read, { ENVIRONMENT: environment })
    const known = new Set(always.map(({ name }) => name))
    const conditional = always.filter(isOptional).flatMap(({ name: onlyWith }) =>
      declarationsOf(read, { ENVIRONMENT: environment, [onlyWith]: 'given' })
        .filter(({ name }) => !known.has(name))
        .map((declaration) => ({ ...declaration, service, environment, onlyWith })),
    )
    return [...always.map((declaration) => ({ ...declaration, service, environment, onlyWith: undefined })), ...conditional]
  })
}

/** True when a service does without the variable. */
function isOptional({ required, fallback }: Declaration): boolean {
  return required !== true && fallback === undefined
}

function declarationsOf(read: Service['read'], variables: Variables): Declaration[] {
  const env = new EnvReader(variables)
  read(env)
  return [...env.declarations.values()]
}

/** True when a service names `ENVIRONMENT` as a mistake as soon as it says production. */
export function refusesProduction({ read }: Service): boolean {
  const env = new EnvReader({ ENVIRONMENT: 'production' })
  read(env)
  return env.problems.some((problem) => problem.startsWith('ENVIRONMENT '))
}
