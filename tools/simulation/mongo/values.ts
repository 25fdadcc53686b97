import { mongo } from 'mongoose'

const { Binary, BSONRegExp, Long, MaxKey, MinKey, ObjectId, Timestamp } = mongo.BSON

/** A stored document. It is never changed, only replaced, so that copies and before-images cost nothing. */
export type Doc = Readonly<Record<string, unknown>>

/** True for an embedded document: no array, date, id or other value of a type of its own. */
export function isDoc(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** The name of an operator, such as `$set`. */
export function isOperator(name: string): boolean {
  return name.startsWith('$')
}

/** True for `{ $gt: 1 }`, false for a value to compare with. */
export function hasOperators(value: unknown): value is Doc {
  return isDoc(value) && Object.keys(value).some(isOperator)
}

/**
 * The place of a value's type in the order of types.
 * Source: https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/
 */
export function typeRank(value: unknown): number {
  if (value === undefined || value === null) return 5
  if (typeof value === 'number') return 10
  if (typeof value === 'string') return 15
  return typeof value === 'boolean' ? 40 : objectRank(value)
}

function objectRank(value: unknown): number {
  if (Array.isArray(value)) return 25
  if (value instanceof Date) return 45
  if (isDoc(value)) return 20
  if (value instanceof Long) return 10
  if (value instanceof Binary) return 30
  if (value instanceof ObjectId) return 35
  if (value instanceof Timestamp) return 47
  if (value instanceof BSONRegExp || value instanceof RegExp) return 50
  if (value instanceof MinKey) return 1
  if (value instanceof MaxKey) return 127
  throw new TypeError(`the model does not know how to compare ${Object.prototype.toString.call(value)}`)
}

/** Compares any two values in MongoDB's order; a missing value equals `null`. */
export function compare(one: unknown, other: unknown): number {
  const [rank, otherRank] = [typeRank(one), typeRank(other)]
  if (rank !== otherRank) return rank - otherRank
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other)
  if (typeof one === 'number' && typeof other === 'number') return compareNumbers(one, other)
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other)
  if (one instanceof Date && other instanceof Date) return one.getTime() - other.getTime()
  if (Array.isArray(one) && Array.isArray(other)) return compareArrays(one, other)
  if (isDoc(one) && isDoc(other)) return compareDocs(one, other)
  if (rank === 5 || rank === 1 || rank === 127) return 0
  return compareText(keyText(one), keyText(other))
}

export function equal(one: unknown, other: unknown): boolean {
  return compare(one, other) === 0
}

const SURROGATE = /[\ud800-\udfff]/u

/** By the bytes of UTF-8, which only differs from the order of UTF-16 when one text has characters beyond its first plane. */
function compareText(one: string, other: string): number {
  if (one === other) return 0
  if (SURROGATE.test(one) || SURROGATE.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : 1
}

/** NaN is less than every other number. */
function compareNumbers(one: number, other: number): number {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(other)) - Number(Number.isNaN(one))
  return one < other ? -1 : Number(one > other)
}

function compareArrays(one: readonly unknown[], other: readonly unknown[]): number {
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    const order = compare(one[index], other[index])
    if (order !== 0) return order
  }
  return one.length - other.length
}

/** Field by field in their order: first the types, then the names, then the values. */
function compareDocs(one: Doc, other: Doc): number {
  const [fields, otherFields] = [Object.entries(one), Object.entries(other)]
  for (const [index, [name, value]] of fields.entries()) {
    const pair = otherFields[index]
    if (!pair) return 1
    const order = typeRank(value) - typeRank(pair[1]) || compareText(name, pair[0]) || compare(value, pair[1])
    if (order !== 0) return order
  }
  return fields.length - otherFields.length
}

/** A text that is the same for equal values, and different for different ones. */
export function keyText(value: unknown): string {
  if (typeof value === 'string') return `s${JSON.stringify(value)}`
  if (value === undefined || value === null) return 'z'
  if (typeof value === 'number') return `n${Object.is(value, -0) ? 0 : value}`
  if (typeof value === 'boolean') return `b${value}`
  if (value instanceof Date) return `d${value.getTime()}`
  if (Array.isArray(value)) return `[${value.map(keyText).join()}]`
  if (isDoc(value))
    return `{${Object.entries(value)
      .map(([name, field]) => `${JSON.stringify(name)}:${keyText(field)}`)
      .join()}}`
  return `x${typeRank(value)}${mongo.BSON.EJSON.stringify({ value })}`
}

/** A value as the server writes it in the message of a duplicate key, such as `"a"`, `1` or `new Date(0)`. */
export function shellText(value: unknown): string {
  if (value instanceof Date) return `new Date(${value.getTime()})`
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`
  if (Array.isArray(value)) return `[ ${value.map(shellText).join(', ')} ]`
  if (isDoc(value))
    return `{ ${Object.entries(value)
      .map(([name, field]) => `${name}: ${shellText(field)}`)
      .join(', ')} }`
  return JSON.stringify(value ?? null)
}
