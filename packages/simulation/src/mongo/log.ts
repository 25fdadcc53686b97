import { Collection } from './collection.ts'
import type { IndexSpec } from './indexes.ts'
import type { Doc } from './values.ts'

/** One change of the data, with what was there before, so that it can be taken back. */
export type Change =
  | {
      readonly kind: 'write'
      readonly namespace: string
      readonly id: string
      readonly before?: Doc | undefined
      readonly after?: Doc | undefined
    }
  | {
      readonly kind: 'indexes'
      readonly namespace: string
      readonly before: readonly IndexSpec[]
      readonly after: readonly IndexSpec[]
    }
  /** The first entry of each new primary. */
  | { readonly kind: 'noop' }

/** One statement of a retryable write, and what was answered. */
export interface Statement {
  /** The text of the session's id. */
  readonly session: string
  readonly txnNumber: number
  /** Its place in the command. */
  readonly statement: number
  readonly result: Doc
}

/** An entry of the replicated log. */
export interface Entry {
  /** From 1; an entry that is rolled back leaves its number to another one of a later term. */
  readonly index: number
  readonly term: number
  /** The virtual time at which the primary wrote it. */
  readonly at: number
  readonly change: Change
  readonly statement?: Statement | undefined
}

/** The collections of all databases, at one point of the log. */
export class Data {
  readonly #collections = new Map<string, Collection>()

  find(namespace: string): Collection | undefined {
    return this.#collections.get(namespace)
  }

  apply(change: Change): void {
    switch (change.kind) {
      case 'write':
        this.#existing(change.namespace).replace(change.id, change.before, change.after)
        return
      case 'indexes':
        this.#existing(change.namespace).setIndexes(change.after)
        return
      case 'noop':
    }
  }

  revert(change: Change): void {
    switch (change.kind) {
      case 'write':
        this.#existing(change.namespace).replace(change.id, change.after, change.before)
        return
      case 'indexes':
        this.#existing(change.namespace).setIndexes(change.before)
        return
      case 'noop':
    }
  }

  copy(): Data {
    const copy = new Data()
    for (const collection of this.#collections.values()) copy.#collections.set(collection.namespace, collection.copy())
    return copy
  }

  /** A collection begins to exist with its first write. */
  #existing(namespace: string): Collection {
    const found = this.#collections.get(namespace) ?? new Collection(namespace)
    this.#collections.set(namespace, found)
    return found
  }
}
