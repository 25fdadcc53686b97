import { Ajv, type ValidateFunction } from 'ajv'
import type { FromSchema as FromJsonSchema, JSONSchema } from 'json-schema-to-ts'
import { ValidationFailed } from './errors.ts'
import { toFieldErrors } from './field-errors.ts'
import { addOurFormats } from './formats.ts'

/** The parts of a JSON Schema that our own code reads; ajv checks the rest when it compiles. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly [keyword: string]: unknown
}

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
  /** The value, typed by its schema. Throws `ValidationFailed` with every bad field. */
  parse(value: unknown): T
}

// `verbose` gives each error its schema, whose description says what is allowed.
const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, $data: false, verbose: true })
addOurFormats(ajv)

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

/** Compiles at the first use: a service uses a few of all schemas, and every compiled one takes memory. */
function checkerOf<T>(schema: JsonSchema): Checker<T> {
  let compiled: ValidateFunction<T> | undefined
  const validator = (): ValidateFunction<T> => (compiled ??= ajv.compile<T>(schema))
  const check = (value: unknown): value is T => validator()(value)
  const parse = (value: unknown): T => {
    const validate = validator()
    if (validate(value)) return value
    throw new ValidationFailed(toFieldErrors(validate.errors ?? []))
  }
  return Object.assign(check, { parse })
}
