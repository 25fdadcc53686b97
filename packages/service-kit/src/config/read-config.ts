/** Reads a service's environment once: validated, frozen, all problems reported together, no default secrets. */
import { EnvReader } from './reader.ts'
import type { Variables, Declaration } from './source.ts'

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

/** Shorter names resemble too many others: `PORT` and `HOST` are two letters apart. */
const MIN_LENGTH = 8
const MAX_EDITS = 2

/** A variable that the service does not read, and the one that was probably meant. */
export interface Misspelling {
  readonly name: string
  readonly nearest: string
}

/** Names within two edits of a variable that is read. All other unknown names belong to other programs. */
export function misspellings(names: readonly string[], declarations: readonly Declaration[]): Misspelling[] {
  const known = new Set(declarations.flatMap(({ name, secret }) => (secret === true ? [name, `${name}_FILE`] : [name])))
  const candidates = [...known].filter((name) => name.length >= MIN_LENGTH)
  return names
    .filter((name) => name.length >= MIN_LENGTH && !known.has(name))
    .flatMap((name) => {
      const [closest] = candidates
        .map((nearest) => ({ name, nearest, edits: editsBetween(name, nearest) }))
        .filter(({ edits }) => edits <= MAX_EDITS)
        .toSorted((one, other) => one.edits - other.edits)
      return closest ? [{ name, nearest: closest.nearest }] : []
    })
}

/** Levenshtein distance; beyond `MAX_EDITS` it is not exact. */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MAX_EDITS) return MAX_EDITS + 1
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const letter of one) {
    const [first = 0] = row
    const next = [first + 1]
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
