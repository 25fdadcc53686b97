import { createHash } from 'node:crypto'
import { randomStream } from './random.ts'
import { EventQueue, type Event } from './event-queue.ts'
import { drained } from './real.ts'
import type { World } from './world.ts'

/** Simulated time begins here: 2026-01-05T00:00:00Z, a Monday. */
const START_MS = 1_767_571_200_000
const KEPT_LINES = 400
/** The digest takes its text in pieces of about so many characters, which is faster. */
const DIGEST_PIECE = 50_000
/** A run with more events than this does not end. */
const MAX_EVENTS = 3_000_000

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
