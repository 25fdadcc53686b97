import { TR_PATTERN, TRANSACTION_ID_PATTERN } from './ids.ts'

/** The parts that schemas of answers, events and calls between services are made of. */

export const text = { type: 'string' } as const
export const textOrNull = { type: ['string', 'null'] } as const
export const time = { type: 'string', format: 'date-time' } as const
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const
export const transactionId = { type: 'string', pattern: TRANSACTION_ID_PATTERN } as const
/** A transaction reference in messages of the network: ours, or one that the gateway did not make. */
export const tr = { type: 'string', pattern: TR_PATTERN } as const
export const integer = { type: 'integer' } as const
export const integerOrNull = { type: ['integer', 'null'] } as const
/** An amount in answers. */
export const rupees = { type: 'string', description: 'rupees with two decimals', examples: ['499.00'] } as const
/**
 * Any cursor: base64url. A cursor has no format of a merchant's text, whose check for card numbers reads base64 and would refuse some
 * of our own cursors. The service that made a cursor refuses every other text.
 */
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]+$'
export const currency = { const: 'INR', description: 'INR' } as const

/** Text that a person can read, with what is allowed in words: the description of each field of a request begins with that. */
export const plainText = (maxLength: number, minLength = 0) =>
  ({
    type: 'string',
    minLength,
    maxLength,
    format: 'plain-text',
    description: `text of ${minLength === 0 ? 'at most' : `${minLength} to`} ${maxLength} characters without control characters; a card number is refused`,
  }) as const

/** One of these texts, or `null`. */
export function enumOrNull<const Values extends readonly string[]>(values: Values) {
  return { enum: [...values, null] } as const
}

/** A value of the schema, or `null`. */
export function orNull<const Schema extends object>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}

export function listOf<const Items extends object>(items: Items) {
  return { type: 'array', items } as const
}

type Fields = Readonly<Record<string, object>>

/** A JSON Schema of an object that has the required fields and may have the optional ones. Other fields are ignored. */
export function requiredFields<const R extends Fields, const O extends object = object>(required: R, optional?: O) {
  const names = Object.keys(required) as (keyof R & string)[]
  return { type: 'object', required: names, properties: { ...required, ...optional } as R & O } as const
}

/** The same, but other fields are refused: for requests, and for what the gateway publishes. */
export function exactFields<const R extends Fields, const O extends object = object>(required: R, optional?: O) {
  return { ...requiredFields(required, optional), additionalProperties: false } as const
}

/** The same without required fields: the parameters of a query. */
export function optionalFields<const O extends Fields>(optional: O) {
  return exactFields({}, optional)
}

/** The body of most answers: `data` with these fields. */
export function dataOf<const P extends Readonly<Record<string, object>>>(properties: P) {
  return requiredFields({ data: requiredFields(properties) })
}

const nextCursor = { ...textOrNull, description: 'send it as cursor for the next page; null on the last one' } as const

/** One page of a list, newest first. It may be short, even empty, before the last one. */
export function pageOf<const P extends Readonly<Record<string, object>>>(properties: P) {
  return requiredFields({ data: requiredFields(properties), next_cursor: nextCursor })
}

/** One page of a list that the ledger keeps. */
export function ledgerPageOf<const P extends Readonly<Record<string, object>>>(properties: P) {
  const asOf = { ...time, description: 'status changes that were published by this time are in the answer' } as const
  return requiredFields({ data: requiredFields(properties), next_cursor: nextCursor, as_of: asOf })
}
