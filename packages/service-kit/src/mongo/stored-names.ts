/**
 * Stored fields are named in snake_case, like the fields of events and of the public API; the domain names them in camelCase. These
 * two functions translate the names of whole documents, at every depth. Dates, buffers and ids stay as they are.
 */

type SnakeName<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name
type CamelName<Name> = Name extends `_${string}`
  ? Name
  : Name extends `${infer Start}_${infer Rest}`
    ? `${Start}${Capitalize<CamelName<Rest>>}`
    : Name

/** What is no document of its own. */
type Leaf = string | number | boolean | bigint | symbol | null | undefined | Date | Uint8Array

/** A value as it is stored. */
export type SnakeNames<T> = T extends Leaf
  ? T
  : T extends readonly (infer Item)[]
    ? SnakeNames<Item>[]
    : { -readonly [Name in keyof T as SnakeName<Name>]: SnakeNames<T[Name]> }

/** A stored value as the domain names its fields. */
export type CamelNames<T> = T extends Leaf
  ? T
  : T extends readonly (infer Item)[]
    ? CamelNames<Item>[]
    : { [Name in keyof T as CamelName<Name>]: CamelNames<T[Name]> }

/** Translates the domain's names into stored ones: `amountPaise` → `amount_paise`. */
export function toStoredNames<T>(value: T): SnakeNames<T> {
  return renamed(value, snakeName) as SnakeNames<T>
}

/** Translates stored names into the domain's: `amount_paise` → `amountPaise`. `_id` stays. */
export function fromStoredNames<T>(value: T): CamelNames<T> {
  return renamed(value, camelName) as CamelNames<T>
}

function renamed(value: unknown, nameOf: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, nameOf))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [nameOf(name), renamed(held, nameOf)]))
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

const snakeName = remembered((name) => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`))
const camelName = remembered((name) => name.replace(/(?<=.)_([a-z])/gu, (_underscore, letter: string) => letter.toUpperCase()))

/** Documents have few names, those of their schemas, and each name comes with every document. */
function remembered(translate: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    const found = known.get(name) ?? translate(name)
    known.set(name, found)
    return found
  }
}
