import type { FromSchema as FromJsonSchema, JSONSchema } from 'json-schema-to-ts'
import { ValidationFailed } from './errors.ts'
import { toFieldErrors } from './field-errors.ts'
import { validatorOf, type JsonSchema } from './validator.ts'

export type { JsonSchema } from './validator.ts'

type ObjectSchema = Exclude<JSONSchema, boolean>

/** The type that a schema describes: read-only, and only the fields that the schema names. */
export type FromSchema<S extends JSONSchema> = Named<FromJsonSchema<S, { keepDefaultedPropertiesOptional: true }>>

/** Without "any other field may be there, of any type", which json-schema-to-ts adds to objects that are not closed. */
type Named<T> = T extends readonly (infer Item)[]
  ? readonly Named<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as unknown extends T[Key] ? (string extends Key ? never : Key) : Key]: Named<T[Key]> }
    : T

export interface Checker<T> {
  (value: unknown): value is T
  /** The value, typed by its schema. Throws `ValidationFailed` with every bad field; of a very large value, with the first one. */
  parse(value: unknown): T
}

/** Every checker of this process with its schema: a test sends each of them the worst input. */
export const compiled: { readonly schema: JsonSchema; readonly checker: Checker<unknown> }[] = []

/** A checker of a schema. Its type follows from the schema, which is the only place that states it. */
export function compile<const S extends ObjectSchema>(schema: S): Checker<FromSchema<S>> {
  return checkerOf<FromSchema<S>>(schema)
}

/**
 * Like `compile`, for the reader of a message that another service writes: it ignores fields that the schema does not name,
 * at every level. So a newer release may add an optional field while older ones still run.
 */
export function compileReader<const S extends ObjectSchema>(schema: S): Checker<FromSchema<S>> {
  return checkerOf<FromSchema<S>>(ignoringUnknownFields(schema))
}

/** The same schema, but it also accepts unknown fields. It has no `$id`, because the strict schema uses it. */
export function ignoringUnknownFields({ $id: _, ...schema }: JsonSchema): JsonSchema {
  return opened(schema)
}

function opened(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...kept } = schema
  return Object.fromEntries(
    Object.entries(additionalProperties === false ? kept : schema).map(([keyword, value]) => {
      if (keyword === 'properties' && isObject(value))
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, child]) => [name, isObject(child) ? opened(child) : child])),
        ]
      return [keyword, SUBSCHEMAS.has(keyword) && isObject(value) ? opened(value) : value]
    }),
  )
}

/** The keywords of our messages whose value is one schema. */
const SUBSCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties'])

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checkerOf<T>(schema: JsonSchema): Checker<T> {
  const validator = validatorOf<T>(schema)
  const check = (value: unknown): value is T => validator.accepts(value)
  const parse = (value: unknown): T => {
    if (validator.accepts(value)) return value
    throw new ValidationFailed(toFieldErrors(validator.faultsOf(value)))
  }
  const checker = Object.assign(check, { parse })
  compiled.push({ schema, checker })
  return checker
}
