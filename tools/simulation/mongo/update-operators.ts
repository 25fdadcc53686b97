import type { Change } from './change-at.ts'
import { ServerError, Unsupported } from './errors.ts'
import { compileElement } from './match.ts'
import { compare, equal, hasOperators, isDoc, type Doc } from './values.ts'

export type Operator = '$set' | '$setOnInsert' | '$unset' | '$inc' | '$max' | '$min' | '$push' | '$pull' | '$addToSet'

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
    case '$min':
      return (old) => (old === undefined || compare(operand, old) < 0 ? operand : old)
    case '$push':
      return push(field, operand)
    case '$pull':
      return pull(operand)
    case '$addToSet':
      return addToSet(field, operand)
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

function addToSet(field: string, operand: unknown): Change {
  const { added, slice } = readPush(operand)
  if (slice !== undefined) throw new Unsupported('$slice in $addToSet')
  return (old) => {
    const all = [...arrayOf(field, old)]
    for (const value of added) if (!all.some((known) => equal(known, value))) all.push(value)
    return all
  }
}

function pull(condition: unknown): Change {
  const test = isDoc(condition) ? compileElement(condition) : (element: unknown) => equal(element, condition)
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
  const fields: Record<string, unknown> = {}
  for (const [name, condition] of Object.entries(filter)) {
    if (name === '$and' && Array.isArray(condition))
      for (const clause of condition.filter(isDoc)) Object.assign(fields, fieldsOfFilter(clause))
    if (name.startsWith('$')) continue
    if (!hasOperators(condition)) fields[name] = condition
    else if ('$eq' in condition) fields[name] = condition['$eq']
  }
  return fields
}
