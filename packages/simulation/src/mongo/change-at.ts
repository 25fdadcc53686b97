import { Unsupported } from './errors.ts'
import { isDoc } from './values.ts'

/** What a change makes of the value at a path: the new one, or `undefined` to have none there. */
export type Change = (old: unknown) => unknown

/** Returns a copy of `container` in which the value at `path` is changed; documents on the way are created. */
export function changeAt(container: unknown, [head, ...rest]: readonly string[], change: Change): unknown {
  if (head === undefined) return change(container)
  if (container !== undefined && !isDoc(container)) throw new Unsupported(`changing ${head} of a value that is no document`)
  const { [head]: old, ...others } = container ?? {}
  const value = changeAt(old, rest, change)
  if (value === old) return container
  return value === undefined ? others : { ...container, [head]: value }
}
