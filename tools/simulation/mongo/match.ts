import { mongo } from 'mongoose'
import { ServerError, Unsupported } from './errors.ts'
import { compare, equal, hasOperators, isDoc, isOperator, typeRank, type Doc } from './values.ts'

export type Predicate = (value: unknown) => boolean

const INDEX = /^(?:0|[1-9]\d*)$/u

/**
 * The values that a path leads to. An array on the way stands for its elements; a missing field is `undefined`.
 * Source: https://www.mongodb.com/docs/manual/tutorial/query-array-of-documents/
 */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  const [head, ...rest] = path
  if (head === undefined) return [value]
  if (isDoc(value)) return valuesAt(value[head], rest)
  if (!Array.isArray(value)) return [undefined]
  const ofElements = value.filter(isDoc).flatMap((element) => valuesAt(element, path))
  return INDEX.test(head) ? [...valuesAt(value[Number(head)], rest), ...ofElements] : ofElements
}

/** Turns a filter into a test of documents. Throws `ServerError` on anything that the model does not know. */
export function compileFilter(filter: Doc): (doc: unknown) => boolean {
  const tests = Object.entries(filter).map(([name, condition]) => compileClause(name, condition))
  return (doc) => tests.every((test) => test(doc))
}

function compileClause(name: string, condition: unknown): Predicate {
  if (name === '$comment') return () => true
  if (isOperator(name)) return compileLogical(name, condition)
  const path = name.split('.')
  const test = compileCondition(condition)
  return (doc) => test(valuesAt(doc, path))
}

function compileLogical(name: string, clauses: unknown): Predicate {
  if (!['$and', '$or', '$nor'].includes(name)) throw new Unsupported(`the query operator ${name}`)
  if (!Array.isArray(clauses) || clauses.length === 0) throw new ServerError(2, '$and/$or/$nor must be a nonempty array')
  const tests = clauses.map((clause: unknown) => {
    if (!isDoc(clause)) throw new ServerError(2, '$or/$and/$nor entries need to be full objects')
    return compileFilter(clause)
  })
  if (name === '$and') return (doc) => tests.every((test) => test(doc))
  if (name === '$or') return (doc) => tests.some((test) => test(doc))
  return (doc) => !tests.some((test) => test(doc))
}

/** Tests the values of one path: each operator on its own, as if they were joined by `$and`. */
type LeafTest = (values: readonly unknown[]) => boolean

function compileCondition(condition: unknown): LeafTest {
  if (!hasOperators(condition)) return equals(condition)
  const { $options, ...operators } = condition
  const tests = Object.entries(operators).map(([name, operand]) => compileOperator(name, operand, $options))
  return (values) => tests.every((test) => test(values))
}

function compileOperator(name: string, operand: unknown, options: unknown): LeafTest {
  switch (name) {
    case '$eq':
      return equals(operand)
    case '$ne':
      return not(equals(operand))
    case '$in':
      return isIn(operand)
    case '$nin':
      return not(isIn(operand))
    case '$gt':
      return ordered(operand, (order) => order > 0)
    case '$gte':
      return ordered(operand, (order) => order >= 0)
    case '$lt':
      return ordered(operand, (order) => order < 0)
    case '$lte':
      return ordered(operand, (order) => order <= 0)
    case '$exists': {
      const wanted = operand !== false && operand !== 0 && operand !== null
      return (values) => values.some((value) => value !== undefined) === wanted
    }
    case '$not':
      return not(compileCondition(operand))
    case '$regex':
      return anyElement(matchesPattern(toPattern(operand, options)))
    case '$size':
      return (values) => values.some((value) => Array.isArray(value) && value.length === operand)
    case '$elemMatch':
      return elementMatches(operand)
    default:
      throw new Unsupported(`the query operator ${name}`)
  }
}

function not(test: LeafTest): LeafTest {
  return (values) => !test(values)
}

/** A condition holds for an array when it holds for one of its elements, or for the array as a whole. */
function anyElement(test: Predicate): LeafTest {
  return (values) => values.some((value) => test(value) || (Array.isArray(value) && value.some(test)))
}

function equals(operand: unknown): LeafTest {
  if (operand instanceof RegExp || operand instanceof mongo.BSON.BSONRegExp)
    return anyElement(matchesPattern(toPattern(operand, undefined)))
  return anyElement((value) => equal(value, operand))
}

function isIn(operands: unknown): LeafTest {
  if (!Array.isArray(operands)) throw new ServerError(2, '$in needs an array')
  const tests = operands.map((operand: unknown) => equals(operand))
  return (values) => tests.some((test) => test(values))
}

/** Values of another type are never greater or less. */
function ordered(operand: unknown, holds: (order: number) => boolean): LeafTest {
  const rank = typeRank(operand)
  return anyElement((value) => typeRank(value) === rank && holds(compare(value, operand)))
}

function elementMatches(operand: unknown): LeafTest {
  if (!isDoc(operand)) throw new ServerError(2, '$elemMatch needs an Object')
  const test = compileElement(operand)
  return (values) => values.some((value) => Array.isArray(value) && value.some(test))
}

/** A condition on one element of an array: `{ $in: […] }` on its value, or `{ id: 1 }` on its fields. */
export function compileElement(condition: unknown): Predicate {
  const isLogical = isDoc(condition) && Object.keys(condition).some((name) => ['$and', '$or', '$nor'].includes(name))
  if (isDoc(condition) && (isLogical || !hasOperators(condition))) {
    const test = compileFilter(condition)
    return (element) => isDoc(element) && test(element)
  }
  const test = compileCondition(condition)
  return (element) => test([element])
}

function matchesPattern(pattern: RegExp): Predicate {
  return (value) => typeof value === 'string' && pattern.test(value)
}

function toPattern(operand: unknown, options: unknown): RegExp {
  if (operand instanceof mongo.BSON.BSONRegExp) return toPattern(operand.pattern, operand.options)
  if (operand instanceof RegExp) return operand
  if (typeof operand !== 'string') throw new ServerError(2, '$regex has to be a string')
  const flags = typeof options === 'string' ? options : ''
  if (/[^ims]/u.test(flags)) throw new Unsupported(`the regular expression options ${flags}`)
  return new RegExp(operand, `${flags}u`)
}
