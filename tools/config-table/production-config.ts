import { ConfigInvalid, readConfig } from '@gateway/service-kit'
import { readingsOf, type Reading } from './readings.ts'
import type { Service } from './services.ts'
import { GOOD } from './production-values.ts'

/** What a service reads in production. */
export const inProduction = (service: Service) => readingsOf(service).filter(({ environment }) => environment === 'production')
export const isRequired = ({ required }: Reading) => required === true
/** Everything good that the service reads, and nothing else. */
export const completeOf = (service: Service) =>
  Object.fromEntries(inProduction(service).flatMap(({ name }) => (GOOD[name] === undefined ? [] : [[name, GOOD[name]]])))

/** What is wrong with these variables; nothing when the service would start. */
export function problemsOf(variables: Record<string, string>, { read }: Service): string[] {
  try {
    readConfig(variables, read)
    return []
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    return [...error.message.matchAll(/^ {2}- (.*)$/gmu)].map(([, problem = '']) => problem)
  }
}
