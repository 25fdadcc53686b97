import { AsyncLocalStorage } from 'node:async_hooks'
import { randomStream, type Random } from './random.ts'
import type { Kernel } from './kernel.ts'

/** A simulated process: a replica of a service, or an actor. All of them share this Node process; each has its own clock and fate. */
export class SimulatedProcess {
  readonly name: string
  readonly kernel: Kernel
  readonly random: Random
  /** How far its clock is ahead. */
  readonly skewMs: number
  #alive = true
  #pausedUntilMs = 0
  #lastPausedMs: number | undefined
  readonly #waiting: (() => void)[] = []
  #calls = 0
  #crash: { readonly atCall: number; readonly when: 'before' | 'after' } | undefined
  readonly #onEnd: ((why: string) => void)[] = []

  /** @param life tells the lives of one replica apart, so that a restart draws other numbers */
  constructor(kernel: Kernel, name: string, { life = 1, skewMs = 0 }: { readonly life?: number; readonly skewMs?: number } = {}) {
    this.kernel = kernel
    this.name = name
    this.skewMs = skewMs
    this.random = randomStream(kernel.seed, `${name}/${life}`)
  }

  get isAlive(): boolean {
    return this.#alive
  }

  get isPaused(): boolean {
    return this.kernel.nowMs < this.#pausedUntilMs
  }

  /** Its last pause, in virtual time. */
  get lastPause(): { readonly fromMs: number; readonly untilMs: number } | undefined {
    return this.#lastPausedMs === undefined ? undefined : { fromMs: this.#lastPausedMs, untilMs: this.#pausedUntilMs }
  }

  /** Runs something as this process; what it awaits and its timers belong to the process too. */
  run<T>(work: () => T): T {
    return storage.run(this, work)
  }

  /** Something from outside reaches the process: now, after its pause, or never. What came first is handled first. */
  deliver(work: () => void): void {
    if (!this.#alive) return
    if (!this.isPaused && this.#waiting.length === 0) {
      this.run(work)
      return
    }
    this.#waiting.push(work)
  }

  /** Handles what waited for the end of a pause, each piece as an event of its own. */
  #goOn(): void {
    if (this.isPaused || !this.#alive) return
    const work = this.#waiting.shift()
    if (!work) return
    this.run(work)
    this.kernel.at(this.kernel.nowMs, this.name, () => this.#goOn())
  }

  /** SIGSTOP for some time. */
  pause(forMs: number): void {
    this.#lastPausedMs = this.kernel.nowMs
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.kernel.nowMs + forMs)
    this.kernel.at(this.#pausedUntilMs, this.name, () => this.#goOn())
  }

  resume(): void {
    if (!this.isPaused) return
    this.#pausedUntilMs = this.kernel.nowMs
    this.kernel.at(this.kernel.nowMs, this.name, () => this.#goOn())
  }

  /** Dies at its `afterCalls`-th call to the outside from now on, just before or just after it. */
  crashAtCall(afterCalls: number, when: 'before' | 'after'): void {
    this.#crash = { atCall: this.#calls + afterCalls, when }
  }

  /** It dies at no call any more. */
  disarm(): void {
    this.#crash = undefined
  }

  /**
   * A call to the outside: to the database, the broker, another service, a merchant. A dead process makes none, and gets no answer
   * (`undefined`).
   */
  outside<T>(what: string, call: () => T): T | undefined {
    if (!this.#alive) return undefined
    this.#calls += 1
    const crash = this.#crash?.atCall === this.#calls ? this.#crash.when : undefined
    if (crash === 'before') {
      this.end(`dies before ${what}`)
      return undefined
    }
    const result = call()
    if (crash === 'after') {
      this.end(`dies after ${what}`)
      return undefined
    }
    return result
  }

  /** Called when the process ends. */
  onEnd(listener: (why: string) => void): void {
    this.#onEnd.push(listener)
  }

  /** SIGKILL, or a normal exit. Its timers never fire, its calls never complete, its connections are reset. */
  end(why: string): void {
    if (!this.#alive) return
    this.#alive = false
    this.kernel.trace(this.name, why)
    for (const listener of this.#onEnd) listener(why)
  }
}

const storage = new AsyncLocalStorage<SimulatedProcess>()

/** The process whose code is running. */
export function currentProcess(): SimulatedProcess | undefined {
  return storage.getStore()
}
