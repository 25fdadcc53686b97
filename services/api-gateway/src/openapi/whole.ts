import type { JsonSchema } from '@gateway/contracts'

type Described<T> = { readonly [Key in keyof T]-?: JsonSchema }

interface WholeSchema<T> extends JsonSchema {
  readonly type: 'object'
  readonly required: readonly string[]
  readonly properties: Described<T>
}

/**
 * Describes an answer. The compiler holds its keys to those of the type that the service answers with, and all of them
 * are required: every key is always present, `null` until known (design, section 5).
 */
export function whole<T extends object>(properties: Described<T>): WholeSchema<T> {
  return { type: 'object', required: Object.keys(properties), properties }
}

export const text = { type: 'string' } as const
export const textOrNull = { type: ['string', 'null'] } as const
export const time = { type: 'string', format: 'date-time' } as const
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const
export const integer = { type: 'integer' } as const

/** The same, or `null`. */
export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] }
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}
