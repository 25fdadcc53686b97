import type { JsonSchema } from '@gateway/contracts'

type Described<T> = { readonly [Key in keyof T]-?: JsonSchema }

interface CompleteObjectSchema<T> extends JsonSchema {
  readonly type: 'object'
  readonly required: readonly string[]
  readonly properties: Described<T>
}

/**
 * An object schema whose keys the compiler checks against the service's answer type. Every key is required, because an answer
 * always has all of them; a value is `null` until it is known (design, section 5).
 */
export function objectOf<T extends object>(properties: Described<T>): CompleteObjectSchema<T> {
  return { type: 'object', required: Object.keys(properties), properties }
}

export const text = { type: 'string' } as const
export const textOrNull = { type: ['string', 'null'] } as const
export const time = { type: 'string', format: 'date-time' } as const
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const
export const integer = { type: 'integer' } as const
export const amount = { type: 'string', description: 'rupees with two decimals', examples: ['499.00'] } as const

/** The given schema, or `null`. */
export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] }
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}
