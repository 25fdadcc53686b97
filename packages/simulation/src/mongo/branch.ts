import { ServerError } from './errors.ts'
import { Data, type Change, type Entry, type Statement } from './log.ts'

/** The answers of one session's latest retryable write, by the place of the statement. */
interface Executed {
  readonly txnNumber: number
  readonly statements: Map<number, Statement>
}

/**
 * What one primary has: the committed data, the entries that no majority has yet, and the newest data with them. A failover begins
 * another branch at some entry of this one; what comes after it is rolled back.
 */
export class Branch {
  readonly term: number
  /** With every entry. */
  readonly newest: Data
  /** As of the majority point. */
  readonly committed: Data
  readonly #uncommitted: Entry[] = []
  readonly #executed = new Map<string, Executed>()
  #lastIndex: number
  #committedIndex: number

  constructor(term = 1, from?: Branch) {
    this.term = term
    this.newest = from ? from.newest.copy() : new Data()
    this.committed = from ? from.committed.copy() : new Data()
    this.#lastIndex = from ? from.#lastIndex : 0
    this.#committedIndex = from ? from.#committedIndex : 0
    if (!from) return
    this.#uncommitted.push(...from.#uncommitted)
    for (const [session, { txnNumber, statements }] of from.#executed)
      this.#executed.set(session, { txnNumber, statements: new Map(statements) })
  }

  get lastIndex(): number {
    return this.#lastIndex
  }

  get committedIndex(): number {
    return this.#committedIndex
  }

  append(at: number, change: Change, statement?: Statement): Entry {
    const entry: Entry = { index: this.#lastIndex + 1, term: this.term, at, change, statement }
    this.newest.apply(change)
    this.#uncommitted.push(entry)
    this.#lastIndex = entry.index
    if (statement) this.#remember(statement)
    return entry
  }

  /** Moves the majority point forward, and returns the entries that it passed. */
  commitUpTo(index: number): Entry[] {
    const passed = this.#uncommitted.splice(0, Math.max(0, index - this.#committedIndex))
    for (const { change } of passed) this.committed.apply(change)
    this.#committedIndex += passed.length
    return passed
  }

  /** Takes back every entry after `index`, which is not before the majority point; the newest first. */
  rollBackTo(index: number): Entry[] {
    const cut = this.#uncommitted.splice(Math.max(0, index - this.#committedIndex)).reverse()
    for (const { change, statement } of cut) {
      this.newest.revert(change)
      if (!statement) continue
      const executed = this.#executed.get(statement.session)
      if (executed?.txnNumber === statement.txnNumber) executed.statements.delete(statement.statement)
    }
    this.#lastIndex -= cut.length
    return cut
  }

  /**
   * The answer that a statement of a retryable write got when it was executed before; `undefined` when it was not. Throws when the
   * session has begun a later write.
   */
  executed(session: string, txnNumber: number, statement: number): Statement | undefined {
    const latest = this.#executed.get(session)
    if (latest && latest.txnNumber > txnNumber)
      throw new ServerError(
        225,
        `Retryable write with txnNumber ${txnNumber} is prohibited on session because a newer one has started`,
      )
    return latest?.txnNumber === txnNumber ? latest.statements.get(statement) : undefined
  }

  #remember(statement: Statement): void {
    const { session, txnNumber } = statement
    const latest = this.#executed.get(session)
    const executed = latest?.txnNumber === txnNumber ? latest : { txnNumber, statements: new Map<number, Statement>() }
    executed.statements.set(statement.statement, statement)
    this.#executed.set(session, executed)
  }
}
