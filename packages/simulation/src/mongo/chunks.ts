import { hasOperators, isDoc, type Doc } from './documents.ts'
import { Unsupported } from './errors.ts'

/** Values of the first fields of a shard key. */
export type Bound = readonly (string | number)[]

/** How a collection is divided when the cluster starts. */
export interface Division {
  /** The fields of its shard key. */
  readonly key: readonly string[]
  /** The lowest key of each chunk but the first, in their order. */
  readonly bounds: readonly Bound[]
}

interface Move {
  readonly chunk: number
  readonly waiting: (() => void)[]
}

/** The chunks of one collection: documents with neighbouring shard keys, each chunk on one shard. */
export class Chunks {
  readonly key: readonly string[]
  readonly shards: number
  readonly #bounds: readonly Bound[]
  /** The shard of each chunk. */
  readonly #owners: number[]
  /** How many commands are under way in each chunk. */
  readonly #busy: number[]
  #move: Move | undefined
  /** Raised by each move: a router that knows an older one is stale. */
  version = 1

  constructor({ key, bounds }: Division, shards: number) {
    this.key = key
    this.shards = shards
    this.#bounds = bounds
    this.#owners = Array.from({ length: bounds.length + 1 }, (_, chunk) => chunk % shards)
    this.#busy = this.#owners.map(() => 0)
  }

  get count(): number {
    return this.#owners.length
  }

  ownerOf(chunk: number): number {
    return this.#owners[chunk] ?? 0
  }

  /** The chunk that a document belongs to. MongoDB takes a missing field for `null`; here it ends the run. */
  chunkOf(doc: Doc): number {
    const own = this.key.map((field) => {
      const value = doc[field]
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new Unsupported(`a document without ${field}, by which it is sharded`)
      return value
    })
    return this.#bounds.filter((bound) => compareStart(bound, own) <= 0).length
  }

  /** The chunks that may hold what a filter selects, by the first fields of the shard key that it names. */
  chunksOf(filter: Doc): number[] {
    const depth = Math.max(0, ...this.#bounds.map(({ length }) => length))
    const named = this.key.slice(0, depth).map((field) => valuesOf(filter, field))
    const end = named.findIndex((values) => values === undefined)
    const starts = combined(end < 0 ? named : named.slice(0, end))
    return this.#owners.map((_, chunk) => chunk).filter((chunk) => starts.some((start) => this.#mayHold(chunk, start)))
  }

  /** Runs a command later when it touches the chunk that moves: its writers and readers wait until the move has ended. */
  holdBack(touched: readonly number[], run: () => void): boolean {
    if (!this.#move || !touched.includes(this.#move.chunk)) return false
    this.#move.waiting.push(run)
    return true
  }

  /** Notes a command in some chunks. Returns how to end it. */
  use(touched: readonly number[]): () => void {
    for (const chunk of touched) this.#busy[chunk] = (this.#busy[chunk] ?? 0) + 1
    return () => {
      for (const chunk of touched) this.#busy[chunk] = (this.#busy[chunk] ?? 0) - 1
    }
  }

  isBusy(chunk: number): boolean {
    return (this.#busy[chunk] ?? 0) > 0
  }

  /** Commands of the chunk wait from now on; false while another one moves. */
  beginMove(chunk: number): boolean {
    if (this.#move) return false
    this.#move = { chunk, waiting: [] }
    return true
  }

  /** Ends a move, on another shard or as it was. Returns how many commands waited for it. */
  endMove(owner?: number): number {
    const { chunk, waiting } = this.#move ?? { chunk: 0, waiting: [] }
    this.#move = undefined
    if (owner !== undefined) {
      this.#owners[chunk] = owner
      this.version += 1
    }
    for (const run of waiting) run()
    return waiting.length
  }

  #mayHold(chunk: number, start: Bound): boolean {
    const [low, high] = [this.#bounds[chunk - 1], this.#bounds[chunk]]
    if (low && compareStart(low, start) > 0) return false
    if (!high) return true
    const order = compareStart(high, start)
    return order > 0 || (order === 0 && high.length > start.length)
  }
}

/** Compares as many values as both have; numbers come before texts, as in BSON. */
function compareStart(one: Bound, other: Bound): number {
  for (const [at, value] of one.entries()) {
    const against = other[at]
    if (against === undefined) return 0
    if (value === against) continue
    if (typeof value !== typeof against) return typeof value === 'number' ? -1 : 1
    return value < against ? -1 : 1
  }
  return 0
}

/** The values that a filter allows a field; `undefined` when it names none. */
export function valuesOf(filter: Doc, field: string): readonly unknown[] | undefined {
  const given = filter[field]
  if (hasOperators(given)) return Array.isArray(given['$in']) ? given['$in'] : '$eq' in given ? [given['$eq']] : undefined
  if (given !== undefined) return [given]
  const every = filter['$and']
  if (!Array.isArray(every)) return undefined
  return every
    .filter(isDoc)
    .map((part) => valuesOf(part, field))
    .find((values) => values !== undefined)
}

/** Every combination of one value of each list. */
function combined(lists: readonly (readonly unknown[] | undefined)[]): Bound[] {
  return lists.reduce<Bound[]>(
    (starts, values = []) => starts.flatMap((start) => values.map((value) => [...start, value as string | number])),
    [[]],
  )
}
