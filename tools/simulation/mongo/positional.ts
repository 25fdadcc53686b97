import { compileElement, valuesAt } from './match.ts'
import { isDoc, isOperator, type Doc } from './values.ts'

/** The index of the first element of an array that fulfils a query's condition on it; -1 when the query has none. */
export function positionOf(array: readonly string[], filter: Doc, doc: Doc): number {
  const [elements] = valuesAt(doc, array)
  if (!Array.isArray(elements)) return -1
  const found = conditionsOn(array.join('.'), filter).map((condition) => elements.findIndex(compileElement(condition)))
  return found.find((index) => index >= 0) ?? -1
}

/** The conditions that a query has on the elements of an array, each as a condition on one element. */
function conditionsOn(array: string, filter: Doc): unknown[] {
  return Object.entries(filter).flatMap(([name, condition]): unknown[] => {
    if (name === '$and' && Array.isArray(condition))
      return condition.filter(isDoc).flatMap((clause) => conditionsOn(array, clause))
    if (isOperator(name)) return []
    if (name === array) return [isDoc(condition) && '$elemMatch' in condition ? condition['$elemMatch'] : condition]
    return name.startsWith(`${array}.`) ? [{ [name.slice(array.length + 1)]: condition }] : []
  })
}
