import type { World } from '../kernel/world.ts'
import type { Branch } from './branch.ts'
import type { Command } from './command.ts'
import type { IndexSpec } from './indexes.ts'
import { Collection } from './collection.ts'
import type { Entry, Statement } from './log.ts'
import { keyText, type Doc } from './values.ts'

/** Writes to one branch on behalf of one command. */
export interface Writer {
  readonly branch: Branch
  /** The collection with every write; an empty one when it does not exist. */
  collection(namespace: string): Collection
  /** The answer of the retryable statement at this place, when it has been executed before. */
  executed(statement: number): Doc | undefined
  /** Replaces, adds or removes a document. `result` is what the statement at this place is answered. Throws E11000. */
  write(namespace: string, change: { before?: Doc | undefined; after?: Doc | undefined }, at: number, result: Doc): void
  /** Throws E11000 when the documents contradict a unique index. */
  setIndexes(namespace: string, indexes: readonly IndexSpec[]): void
}

/** @param onEntry called with each entry of the log, which is not committed yet */
export function createWriter(branch: Branch, world: World, command: Command, onEntry: (entry: Entry) => void): Writer {
  const { retryable } = command
  const collection = (namespace: string) => branch.newest.find(namespace) ?? new Collection(namespace)
  return {
    branch,
    collection,
    executed: (statement) => retryable && branch.executed(retryable.session, retryable.txnNumber, statement)?.result,
    write(namespace, { before, after }, at, result) {
      const id = keyText((after ?? before)?.['_id'])
      if (after) collection(namespace).check(after, before)
      const statement: Statement | undefined = retryable && { ...retryable, statement: at, result }
      onEntry(branch.append(world.now(), { kind: 'write', namespace, id, before, after }, statement))
    },
    setIndexes(namespace, indexes) {
      const existing = collection(namespace)
      existing.copy().setIndexes(indexes)
      onEntry(branch.append(world.now(), { kind: 'indexes', namespace, before: existing.indexes, after: indexes }))
    },
  }
}
