import { Collection, type IndexSpec } from './collection.ts'
import type { Doc } from './documents.ts'
import { ServerError } from './errors.ts'

/** One change of the data. */
export type Change =
  | {
      readonly kind: 'write'
      readonly namespace: string
      readonly id: string
      readonly before?: Doc | undefined
      readonly after: Doc
    }
  | { readonly kind: 'indexes'; readonly namespace: string; readonly after: readonly IndexSpec[] }
  /** A chunk has come from another shard. */
  | ({ readonly kind: 'came'; readonly namespace: string } & Share)
  /** Documents are deleted, or have left for another shard. */
  | { readonly kind: 'removed'; readonly namespace: string; readonly ids: readonly unknown[] }
  /** The first entry of each new primary. */
  | { readonly kind: 'noop' }

/** Documents of one collection, and the results of retryable writes, which go with them to another shard. */
export interface Share {
  readonly documents: readonly Doc[]
  /** By session. */
  readonly executed: ReadonlyMap<string, Executed>
}

/** The results of a session's latest write, by the place of the statement. */
interface Executed {
  readonly txnNumber: number
  readonly results: Map<number, Doc>
}

/** The session of a retryable write. */
export interface Session {
  /** The text of its id. */
  readonly session: string
  readonly txnNumber: number
}

/** One statement of a retryable write, and what was answered. */
interface Statement extends Session {
  /** Its place in the command. */
  readonly statement: number
  readonly result: Doc
}

/** An entry of the replicated log. */
export interface Entry {
  readonly change: Change
  readonly statement?: Statement | undefined
}

/** The collections of all databases and the executed retryable writes, at one point of the log. */
class State {
  readonly #collections = new Map<string, Collection>()
  /** By session. */
  readonly #executed = new Map<string, Executed>()

  /** A collection begins to exist when it is first named. */
  collection(namespace: string): Collection {
    const found = this.#collections.get(namespace) ?? new Collection(namespace)
    this.#collections.set(namespace, found)
    return found
  }

  apply({ change, statement }: Entry): void {
    if (change.kind === 'write') this.collection(change.namespace).replace(change.id, change.before, change.after)
    if (change.kind === 'indexes') this.collection(change.namespace).setIndexes(change.after)
    if (change.kind === 'came') {
      this.collection(change.namespace).take(change.documents)
      for (const [session, executed] of change.executed) this.#note(session, executed)
    }
    if (change.kind === 'removed') this.collection(change.namespace).remove(change.ids)
    if (!statement) return
    const { session, txnNumber, statement: place, result } = statement
    this.#note(session, { txnNumber, results: new Map([[place, result]]) })
  }

  /** Adds results of a session; those of an earlier write are forgotten. */
  #note(session: string, { txnNumber, results }: Executed): void {
    const latest = this.#executed.get(session)
    if (latest && latest.txnNumber > txnNumber) return
    if (latest?.txnNumber !== txnNumber) this.#executed.set(session, { txnNumber, results: new Map(results) })
    else for (const [place, result] of results) latest.results.set(place, result)
  }

  /** Some documents of a collection, with the results of all retryable writes. */
  share(namespace: string, isIn: (doc: Doc) => boolean): Share {
    return { documents: this.collection(namespace).all.filter(isIn), executed: this.#copyOfExecuted() }
  }

  #copyOfExecuted(): Map<string, Executed> {
    return new Map(
      [...this.#executed].map(([session, { txnNumber, results }]) => [session, { txnNumber, results: new Map(results) }]),
    )
  }

  /**
   * The answer that a statement of a retryable write got when it was executed before; `undefined` when it was not. Throws when the
   * session has begun a later write.
   */
  executed({ session, txnNumber }: Session, statement: number): Doc | undefined {
    const latest = this.#executed.get(session)
    const message = `Retryable write with txnNumber ${txnNumber} is prohibited on session because a newer one has started`
    if (latest && latest.txnNumber > txnNumber) throw new ServerError(225, message)
    return latest?.txnNumber === txnNumber ? latest.results.get(statement) : undefined
  }

  copy(): State {
    const copy = new State()
    for (const [namespace, collection] of this.#collections) copy.#collections.set(namespace, collection.copy())
    for (const [session, executed] of this.#copyOfExecuted()) copy.#executed.set(session, executed)
    return copy
  }
}

/** What one primary has: the entries that no majority has yet, the committed state, and the newest one with these entries. */
export class Branch {
  readonly newest: State
  /** As of the majority point. */
  readonly committed: State
  readonly #uncommitted: Entry[]
  #committedIndex: number
  readonly term: number

  constructor(term = 1, committed = new State(), committedIndex = 0, uncommitted: readonly Entry[] = []) {
    this.term = term
    this.committed = committed
    this.#committedIndex = committedIndex
    this.newest = committed.copy()
    this.#uncommitted = [...uncommitted]
    for (const entry of uncommitted) this.newest.apply(entry)
  }

  /** Of the last entry, counted from 1. */
  get lastIndex(): number {
    return this.#committedIndex + this.#uncommitted.length
  }

  get committedIndex(): number {
    return this.#committedIndex
  }

  append(entry: Entry): void {
    this.newest.apply(entry)
    this.#uncommitted.push(entry)
  }

  /** Moves the majority point forward, and returns the entries that it passed. */
  commitUpTo(index: number): Entry[] {
    const passed = this.#uncommitted.splice(0, Math.max(0, index - this.#committedIndex))
    for (const entry of passed) this.committed.apply(entry)
    this.#committedIndex += passed.length
    return passed
  }

  /** The branch of the next primary, which has the first `kept` of the entries that no majority has; and the others. */
  cut(kept: number): { readonly next: Branch; readonly lost: readonly Entry[] } {
    const next = new Branch(this.term + 1, this.committed.copy(), this.#committedIndex, this.#uncommitted.slice(0, kept))
    return { next, lost: this.#uncommitted.slice(kept) }
  }
}
