import { changeAt, type Change } from './change-at.ts'
import { ServerError, Unsupported } from './errors.ts'
import { isDoc, isOperator, keyText, type Doc } from './values.ts'
import { changeOf, type Operator } from './update-operators.ts'

/** A checked update: turns a stored document, or the beginning of one that is inserted, into the next one. */
export type Update = (doc: Doc, how: { readonly isInsert: boolean }) => Doc

interface Step {
  readonly operator: Operator
  readonly path: readonly string[]
  readonly change: Change
}

const OPERATORS: readonly Operator[] = ['$set', '$setOnInsert', '$unset', '$inc', '$max', '$push', '$pull']

/**
 * Reads an update of operators.
 * Source: https://www.mongodb.com/docs/manual/reference/operator/update/
 */
export function compileUpdate(update: unknown): Update {
  if (Array.isArray(update)) throw new Unsupported('updates by an aggregation pipeline')
  if (!isDoc(update)) throw new ServerError(14, 'the update must be an object')
  const names = Object.keys(update)
  const stray = names.find((name) => !isOperator(name))
  if (stray !== undefined)
    throw new ServerError(9, `Unknown modifier: ${stray}. Expected a valid update modifier or pipeline-style update`)
  const steps = names.flatMap((name) => stepsOf(name, update[name]))
  refuseConflicts(steps)
  return (doc, { isInsert }) => {
    let changed: unknown = doc
    for (const { operator, path, change } of steps) {
      if (operator === '$setOnInsert' && !isInsert) continue
      changed = changeAt(changed, path, change)
    }
    if (!isDoc(changed)) throw new Error('an update of a document makes a document')
    return withSameId(changed, doc)
  }
}

/** Fields of one operator are handled in the order of their names, since MongoDB 5.0. */
function stepsOf(name: string, operands: unknown): Step[] {
  const operator = OPERATORS.find((known) => known === name)
  if (!operator) throw new Unsupported(`the update operator ${name}`)
  if (!isDoc(operands))
    throw new ServerError(
      9,
      `Modifiers operate on fields but we found type ${typeof operands} instead. For example: {$mod: {<field>: ...}}`,
    )
  return Object.entries(operands)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([field, operand]) => {
      if (field.includes('$')) throw new Unsupported(`the path ${field}`)
      return { operator, path: field.split('.'), change: changeOf(operator, field, operand) }
    })
}

function refuseConflicts(steps: readonly Step[]): void {
  const seen: string[] = []
  for (const { path } of steps) {
    const field = path.join('.')
    const other = seen.find((known) => known === field || known.startsWith(`${field}.`) || field.startsWith(`${known}.`))
    if (other !== undefined) throw new ServerError(40, `Updating the path '${field}' would create a conflict at '${other}'`)
    seen.push(field)
  }
}

function withSameId(changed: Doc, { _id }: Doc): Doc {
  if (_id === undefined || keyText(changed['_id']) === keyText(_id)) return changed
  throw new ServerError(66, "Performing an update on the path '_id' would modify the immutable field '_id'")
}
