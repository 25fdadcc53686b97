import type { World } from '../kernel/world.ts'
import type { Branch } from './branch.ts'
import type { Entry } from './log.ts'
import { valuesAt } from './match.ts'
import { keyText, type Doc } from './values.ts'

/** Removes the documents whose time has come by an index with `expireAfterSeconds`; returns the entries of the log. */
export function expireDocuments(branch: Branch, world: World): Entry[] {
  return branch.newest.collections.flatMap(({ namespace, indexes, all }) =>
    indexes.flatMap(({ key, expireAfterSeconds }) => {
      const [field] = Object.keys(key)
      if (expireAfterSeconds === undefined || field === undefined) return []
      const before = world.now() - expireAfterSeconds * 1000
      const old = all.filter((doc) => isBefore(doc, field, before))
      return old.map((doc) => branch.append(world.now(), { kind: 'write', namespace, id: keyText(doc['_id']), before: doc }))
    }),
  )
}

/** Documents without a date in the field never expire. */
function isBefore(doc: Doc, field: string, ms: number): boolean {
  return valuesAt(doc, field.split('.')).some((value) => value instanceof Date && value.getTime() <= ms)
}
