import type { FromSchema as FromJsonSchema, JSONSchema } from 'json-schema-to-ts'
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { ValidationFailed } from './errors.ts'
import { toFieldErrors } from './field-errors.ts'
import { addOurFormats } from './formats.ts'

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
  const open = (keyword: string, value: unknown): unknown =>
    keyword === 'additionalProperties' && value === false ? undefined : value
  return JSON.parse(JSON.stringify(schema, open)) as JsonSchema
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

/** The parts of a JSON Schema that our own code reads; ajv checks the rest when it compiles. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly [keyword: string]: unknown
}

export interface Validator<T> {
  accepts(value: unknown): value is T
  /** The faults of a refused value: all of them, or only the first one when the value is large. */
  faultsOf(value: unknown): readonly ErrorObject[]
}

// `verbose` gives each error its schema, whose description says what is allowed.
const OPTIONS = { strict: true, allowUnionTypes: true, $data: false, verbose: true } as const
/** Stops at the first fault. Lengths are checked before patterns, formats and items, so hostile input costs no more than good input. */
const failFast = newAjv({ ...OPTIONS, allErrors: false })
const collecting = newAjv({ ...OPTIONS, allErrors: true })

/** Compiles at the first use: a service uses a few of all schemas, and every compiled one takes memory. */
export function validatorOf<T>(schema: JsonSchema): Validator<T> {
  const first = once(() => {
    refuseSlowKeywords(schema)
    return failFast.compile<T>(schema)
  })
  const all = once(() => collecting.compile<T>(schema))
  return {
    accepts: (value) => first()(value),
    faultsOf(value) {
      const validate = isLarge(value) ? first() : all()
      validate(value)
      return validate.errors ?? []
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

function newAjv(options: Options): Ajv {
  const ajv = new Ajv(options)
  addOurFormats(ajv)
  return ajv
}

/** Ajv compares every pair of items that may be objects; for items of a scalar type it takes one pass. */
function refuseSlowKeywords(schema: unknown): void {
  if (!isObject(schema)) return
  if (schema['uniqueItems'] === true && !hasScalarItems(schema)) throw new Error('uniqueItems needs items of one scalar type')
  for (const child of Object.values(schema)) refuseSlowKeywords(child)
}

function hasScalarItems({ items }: JsonSchema): boolean {
  return isObject(items) && ['string', 'integer', 'number', 'boolean'].includes(String(items.type))
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}

/** No honest body is larger. Listing the faults of one as large takes about as long as an empty body's whole request. */
const [MAX_VALUES, MAX_CHARACTERS] = [1000, 8192]

/** True when listing all faults could take long. Counts no further, and without recursion: the value may be nested deeply. */
function isLarge(value: unknown): boolean {
  const pending: unknown[] = [value]
  let [values, characters] = [0, 0]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next === 'string') characters += next.length
    if (isObject(next)) {
      // The names of many members are read much faster than their values.
      const names = Object.keys(next)
      values += names.length
      if (values > MAX_VALUES) return true
      for (const name of names) pending.push(next[name])
    }
    if (characters > MAX_CHARACTERS) return true
  }
  return false
}
