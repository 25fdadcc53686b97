import { ServerError } from './errors.ts'
import { isDoc, type Doc } from './values.ts'

/** What a change makes of the value at a path: the new one, or `undefined` to have none there. */
export type Change = (old: unknown) => unknown

/**
 * Returns a copy of `container` in which the value at `path` is changed; documents on the way are created. An array on the way needs
 * an index. Throws `PathNotViable` when something else is on the way.
 */
export function changeAt(container: unknown, path: readonly string[], change: Change): unknown {
  const [head, ...rest] = path
  if (head === undefined) return change(container)
  if (Array.isArray(container)) return changeElement(container, head, rest, change)
  if (container !== undefined && !isDoc(container))
    throw new ServerError(28, `Cannot create field '${head}' in element {${JSON.stringify(container)}}`)
  return changeField(container ?? {}, head, rest, change, container === undefined)
}

function changeField(doc: Doc, name: string, rest: readonly string[], change: Change, isNew: boolean): unknown {
  const old = Object.hasOwn(doc, name) ? doc[name] : undefined
  const value = changeAt(old, rest, change)
  if (value === old) return isNew ? undefined : doc
  if (value !== undefined) return { ...doc, [name]: value }
  const { [name]: _removed, ...others } = doc
  return others
}

function changeElement(array: readonly unknown[], head: string, rest: readonly string[], change: Change): unknown {
  if (!/^\d+$/u.test(head)) throw new ServerError(28, `Cannot create field '${head}' in element {${JSON.stringify(array)}}`)
  const index = Number(head)
  const value = changeAt(array[index], rest, change)
  if (value === array[index]) return array
  const copy = [...array]
  while (copy.length < index) copy.push(null)
  // An element that is unset becomes null, so that those behind it keep their places.
  copy[index] = value ?? null
  return copy
}
