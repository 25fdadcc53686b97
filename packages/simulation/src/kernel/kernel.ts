import { createHash } from 'node:crypto'
import { randomStream } from './random.ts'
import { drained } from './real.ts'

/** Simulated time begins here: 2026-01-05T00:00:00Z, a Monday. */
const START_MS = 1_767_571_200_000
const KEPT_LINES = 400
/** The digest takes its text in pieces of about so many characters, which is faster. */
const DIGEST_PIECE = 50_000
/** A run with more events than this does not end. */
const MAX_EVENTS = 3_000_000

/** What a model needs of the simulated world. */
export interface World {
  /** The virtual time, in milliseconds since 1970. */
  now(): number
  /** Runs something after so many virtual milliseconds, outside any simulated process. Returns how to cancel it. */
  after(ms: number, run: () => void): () => void
  /** The next number of this model's own random stream, from 0 up to but not including 1. */
  random(): number
}

/** Something that happens at a virtual time. */
export interface Event {
  readonly atMs: number
  /** Orders the owners whose events fall on the same moment; drawn from the seed. */
  readonly tie: number
  /** Keeps the events of one owner in the order in which they were planned. */
  readonly number: number
  readonly owner: string
  readonly run: () => void
  cancelled: boolean
}

/** The clock and the queue of everything that will happen. One event at a time runs, and everything that follows from it at once. */
export class Kernel {
  readonly seed: number
  readonly startMs = START_MS
  #nowMs = START_MS
  #number = 0
  #events = 0
  readonly #queue = new EventQueue()
  readonly #digest = createHash('sha256')
  /** What the digest has not taken yet. */
  #undigested = ''
  readonly #ties = new Map<string, number>()
  readonly #lines: string[] = []
  /** Gets every line of the trace. */
  onLine: ((line: string) => void) | undefined

  constructor(seed: number) {
    this.seed = seed
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** Milliseconds since the beginning of the simulation. */
  get elapsedMs(): number {
    return this.#nowMs - START_MS
  }

  get lastLines(): readonly string[] {
    return this.#lines
  }

  /** Plans an event. Events of one owner at one moment keep their order; the order among owners depends on the seed. */
  at(atMs: number, owner: string, run: () => void): Event {
    const event: Event = {
      atMs: Math.max(atMs, this.#nowMs),
      tie: this.#tieOf(owner),
      number: this.#number++,
      owner,
      run,
      cancelled: false,
    }
    this.#queue.push(event)
    return event
  }

  after(ms: number, owner: string, run: () => void): Event {
    return this.at(this.#nowMs + Math.max(ms, 0), owner, run)
  }

  /** The world of a model, with a random stream of its own. */
  world(name: string): World {
    const random = randomStream(this.seed, name)
    return {
      now: () => this.#nowMs,
      random: () => random.next(),
      after: (ms, run) => {
        const event = this.after(ms, name, run)
        return () => void (event.cancelled = true)
      },
    }
  }

  /** Runs events until the condition holds; false when the time is over before. */
  async runUntil(isDone: () => boolean, limitMs = Infinity): Promise<boolean> {
    for (;;) {
      if (isDone()) return true
      const event = this.#queue.pop()
      if (event?.cancelled) continue
      if (!event || event.atMs > limitMs) {
        if (limitMs === Infinity) throw new Error('nothing is left to happen')
        if (event) this.#queue.push(event)
        this.#nowMs = Math.max(this.#nowMs, limitMs)
        return isDone()
      }
      this.#nowMs = event.atMs
      this.#events += 1
      if (this.#events > MAX_EVENTS) throw new Error(`more than ${MAX_EVENTS} events`)
      this.#note(`${event.atMs} ${event.owner}\n`)
      event.run()
      await drained()
    }
  }

  /** Writes a line of the trace; the digest of a run covers all of them. */
  trace(who: string, what: string): void {
    const line = `${(this.elapsedMs / 1000).toFixed(4).padStart(10)}  ${who.padEnd(22)} ${what}`
    this.#note(line)
    this.onLine?.(line)
    if (this.#lines.push(line) > 2 * KEPT_LINES) this.#lines.splice(0, KEPT_LINES)
  }

  /** A digest of everything that has happened. The same seed must give the same. */
  digest(): string {
    return this.#digest.copy().update(this.#undigested).digest('hex').slice(0, 16)
  }

  #note(text: string): void {
    this.#undigested += text
    if (this.#undigested.length < DIGEST_PIECE) return
    this.#digest.update(this.#undigested)
    this.#undigested = ''
  }

  #tieOf(owner: string): number {
    const known = this.#ties.get(owner)
    if (known !== undefined) return known
    const tie = randomStream(this.seed, `tie/${owner}`).next()
    this.#ties.set(owner, tie)
    return tie
  }
}

/** A binary heap of events, the earliest first. */
export class EventQueue {
  readonly #heap: Event[] = []

  push(event: Event): void {
    const heap = this.#heap
    let at = heap.push(event) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(event, this.#at(above))) break
      heap[at] = this.#at(above)
      at = above
    }
    heap[at] = event
  }

  pop(): Event | undefined {
    const [first] = this.#heap
    const last = this.#heap.pop()
    if (first && last && this.#heap.length > 0) this.#sink(last)
    return first
  }

  #sink(event: Event): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(this.#at(below + 1), this.#at(below))) below += 1
      if (!isBefore(this.#at(below), event)) break
      heap[at] = this.#at(below)
      at = below
    }
    heap[at] = event
  }

  #at(index: number): Event {
    const event = this.#heap[index]
    if (!event) throw new Error('the heap is broken')
    return event
  }
}

function isBefore(one: Event, other: Event): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs
  if (one.tie !== other.tie) return one.tie < other.tie
  return one.number < other.number
}
