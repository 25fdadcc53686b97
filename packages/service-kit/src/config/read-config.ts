/** Reads a service's environment once: validated, frozen, all problems reported together, no default secrets. */
import { EnvReader } from './reader.ts'
import type { Variables } from './variables.ts'
import { misspellings } from './typos.ts'

/** The configuration is invalid. The message names every bad variable and never shows a value. */
export class ConfigInvalid extends Error {
  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

/** Reads everything, then throws `ConfigInvalid` if there was any problem. `warn` is called for names that look misspelt. */
export function readConfig<T extends object>(
  variables: Variables,
  read: (env: EnvReader) => T,
  warn: (warning: string) => void = () => undefined,
): Readonly<T> {
  const reader = new EnvReader(variables)
  const config = read(reader)
  reader.checkSecretsDiffer()
  reader.checkCertificatesAreVerified()
  const typos = misspellings(Object.keys(variables), [...reader.declarations.values()])
  const warnings = typos.map(({ name, nearest }) => `${name} is not known: is it ${nearest}?`)
  if (reader.problems.length > 0) throw new ConfigInvalid([...reader.problems, ...warnings])
  for (const warning of warnings) warn(warning)
  return Object.freeze(config)
}
