import { mongo } from 'mongoose'

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

/** A text that is the same for equal values, and different for different ones. */
export function keyText(value: unknown): string {
  return typeof value === 'string' ? `s${value}` : mongo.BSON.EJSON.stringify({ value: value ?? null })
}
