import { compare } from 'mingo/util'
import type { Change } from './change-at.ts'
import { ServerError, Unsupported } from './errors.ts'
import { matcherOf } from './query.ts'
import { hasOperators, isDoc, type Doc } from './values.ts'

export type Operator = '$set' | '$setOnInsert' | '$unset' | '$inc' | '$max' | '$push' | '$pull'

/** What an operator does to the value of one field. Checks the operand at once. */
export function changeOf(operator: Operator, field: string, operand: unknown): Change {
  switch (operator) {
    case '$set':
    case '$setOnInsert':
      return () => operand
    case '$unset':
      return () => undefined
    case '$inc':
      return increment(field, operand)
    case '$max':
      return (old) => (old === undefined || compare(operand, old) > 0 ? operand : old)
    case '$push':
      return push(field, operand)
    case '$pull':
      return pull(operand)
  }
}

function increment(field: string, by: unknown): Change {
  if (typeof by !== 'number') throw new ServerError(14, `Cannot increment with non-numeric argument: {${field}: ${String(by)}}`)
  return (old) => {
    if (old === undefined) return by
    if (typeof old !== 'number')
      throw new ServerError(14, `Cannot apply $inc to a value of non-numeric type. The field '${field}' is of type ${typeof old}`)
    return old + by
  }
}

function push(field: string, operand: unknown): Change {
  const { added, slice } = readPush(operand)
  return (old) => {
    const all = [...arrayOf(field, old), ...added]
    if (slice === undefined) return all
    return slice < 0 ? all.slice(slice) : all.slice(0, slice)
  }
}

function readPush(operand: unknown): { readonly added: readonly unknown[]; readonly slice: number | undefined } {
  if (!isDoc(operand) || !('$each' in operand)) {
    if (hasOperators(operand)) throw new ServerError(52, 'The dollar ($) prefixed field is not valid for storage.')
    return { added: [operand], slice: undefined }
  }
  const { $each: added, $slice: slice, ...others } = operand
  const [other] = Object.keys(others)
  if (other !== undefined) throw new Unsupported(`${other} in $push`)
  if (!Array.isArray(added)) throw new ServerError(2, 'The argument to $each in $push must be an array')
  if (slice !== undefined && typeof slice !== 'number') throw new ServerError(2, 'The value for $slice must be an integer value')
  return { added, slice }
}

function pull(condition: unknown): Change {
  const isOfFields = isDoc(condition) && !hasOperators(condition)
  const matches = matcherOf(isOfFields ? condition : { value: condition })
  const test = (element: unknown): boolean => (isOfFields ? isDoc(element) && matches(element) : matches({ value: element }))
  return (old) => {
    if (old === undefined) return undefined
    if (!isArray(old)) throw new ServerError(2, 'Cannot apply $pull to a non-array value')
    return old.some(test) ? old.filter((element) => !test(element)) : old
  }
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function arrayOf(field: string, old: unknown): readonly unknown[] {
  if (old === undefined) return []
  if (isArray(old)) return old
  throw new ServerError(2, `The field '${field}' must be an array but is of type ${typeof old}`)
}

/** The fields that an upsert takes over from its filter: those that must equal a value. */
export function fieldsOfFilter(filter: Doc): Doc {
  return Object.fromEntries(Object.entries(filter).filter(([name, value]) => !name.startsWith('$') && !hasOperators(value)))
}
