import { Ajv, type ErrorObject, type Options } from 'ajv'
import { addOurFormats } from './formats.ts'

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
