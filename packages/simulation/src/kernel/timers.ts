import { AsyncResource } from 'node:async_hooks'
import type { Event } from './event-queue.ts'
import { currentProcess, type SimulatedProcess } from './process.ts'

/** A timer of a simulated process, with what libraries call of Node's own. */
export class SimulatedTimer {
  readonly #process: SimulatedProcess
  readonly #run: () => void
  readonly #delayMs: number
  readonly #repeats: boolean
  #event: Event | undefined

  constructor(process: SimulatedProcess, delayMs: number, work: () => void, { repeats = false } = {}) {
    const context = new AsyncResource('SimulatedTimer')
    this.#process = process
    this.#delayMs = delayMs
    this.#repeats = repeats
    this.#run = () => context.runInAsyncScope(work)
    this.#plan(process.kernel.nowMs + delayMs)
  }

  #plan(atMs: number): void {
    const { kernel, name } = this.#process
    this.#event = kernel.at(atMs, name, () => this.#fire())
  }

  #fire(): void {
    const event = this.#event
    this.#process.deliver(() => {
      // A paused process may have stopped or restarted the timer before it came to this.
      if (this.#event !== event || event === undefined) return
      this.#event = undefined
      if (this.#repeats) this.#plan(this.#process.kernel.nowMs + this.#delayMs)
      this.#run()
    })
  }

  cancel(): void {
    if (this.#event) this.#event.cancelled = true
    this.#event = undefined
  }

  unref(): this {
    return this
  }
}

/** Starts a timer of the running process; `undefined` when no simulated process is running. */
export function startTimer(
  delayMs: number,
  work: () => void,
  options?: { readonly repeats: boolean },
): SimulatedTimer | undefined {
  const process = currentProcess()
  return process && new SimulatedTimer(process, delayMs, work, options)
}

/** Node's rule: a delay that is no number, or below 1, is 1 ms. */
export function delayOf(ms: unknown): number {
  const delay = Number(ms)
  return delay >= 1 ? Math.trunc(delay) : 1
}
