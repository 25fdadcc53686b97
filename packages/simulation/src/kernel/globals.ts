import { AsyncResource } from 'node:async_hooks'
import crypto from 'node:crypto'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Event } from './kernel.ts'
import { currentProcess, type SimulatedProcess } from './process.ts'
import { real } from './real.ts'

type Work = (...args: unknown[]) => void
interface TimerOptions {
  readonly signal?: AbortSignal
}

const require = createRequire(import.meta.url)
/** The CommonJS objects, whose fields can be replaced. */
const timers = require('node:timers') as Record<string, unknown>
const timersPromises = require('node:timers/promises') as Record<string, unknown>

/**
 * Replaces the clock, the timers and the randomness of this Node process. Code of a simulated process gets the simulated ones, all
 * other code the real ones. Call it once, before the services are loaded.
 */
export function patchGlobals(): void {
  patchTimers()
  patchPromisedTimers()
  patchClock()
  patchRandomness()
  refuseOthers()
  syncBuiltinESMExports()
}

function patchTimers(): void {
  const stop = (name: 'clearTimeout' | 'clearInterval' | 'clearImmediate') => {
    const original: (timer: never) => void = globalThis[name]
    return (timer: unknown) => {
      if (timer instanceof SimulatedTimer) timer.cancel()
      else original(timer as never)
    }
  }
  const patched = {
    setTimeout: (work: Work, ms?: unknown, ...args: unknown[]) =>
      startTimer(delayOf(ms), () => work(...args)) ?? real.setTimeout(work, Number(ms ?? 0), ...args),
    setInterval: (work: Work, ms?: unknown, ...args: unknown[]) =>
      startTimer(delayOf(ms), () => work(...args), delayOf(ms)) ?? real.setInterval(work, Number(ms ?? 0), ...args),
    setImmediate: (work: Work, ...args: unknown[]) => startTimer(0, () => work(...args)) ?? real.setImmediate(work, ...args),
    clearTimeout: stop('clearTimeout'),
    clearInterval: stop('clearInterval'),
    clearImmediate: stop('clearImmediate'),
  }
  Object.assign(globalThis, patched)
  Object.assign(timers, patched)
}

function patchPromisedTimers(): void {
  const sleepReally = timersPromises['setTimeout'] as (...args: unknown[]) => unknown
  const wait = (delayMs: number, value: unknown, { signal }: TimerOptions = {}) =>
    new Promise((resolve, reject) => {
      const timer = startTimer(delayMs, () => {
        signal?.removeEventListener('abort', abort)
        resolve(value)
      })
      const abort = (): void => {
        timer?.cancel()
        const error = new Error('The operation was aborted', { cause: signal?.reason })
        reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }))
      }
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  timersPromises['setTimeout'] = (ms?: unknown, value?: unknown, options?: TimerOptions) =>
    currentProcess() ? wait(delayOf(ms), value, options) : sleepReally(ms, value, options)
}

function patchClock(): void {
  const nowMs = (): number | undefined => {
    const process = currentProcess()
    return process && process.kernel.nowMs + process.skewMs
  }
  const now = (): number => Math.floor(nowMs() ?? real.Date.now())
  const Patched: DateConstructor = new Proxy(real.Date, {
    construct: (target, args: readonly unknown[], caller): Date =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, caller === Patched ? target : caller) as Date,
    get: (target, key, receiver) => (key === 'now' ? now : (Reflect.get(target, key, receiver) as unknown)),
  })
  globalThis.Date = Patched
  // Otherwise `value.constructor === Date` would be false.
  Object.defineProperty(real.Date.prototype, 'constructor', { value: Patched, writable: true, configurable: true })
  performance.now = () => currentProcess()?.kernel.elapsedMs ?? real.performanceNow()
}

function patchRandomness(): void {
  const [randomReally, fillReally] = [Math.random, crypto.randomFillSync]
  const bytesReally: (size: number, ...done: never[]) => unknown = crypto.randomBytes
  Math.random = () => currentProcess()?.random.next() ?? randomReally()
  const fill = <T extends NodeJS.ArrayBufferView>(view: T, offset?: number, size?: number): T => {
    const process = currentProcess()
    if (!process) return size === undefined ? fillReally(view, offset) : fillReally(view, offset, size)
    if (offset !== undefined) throw new Error('the simulation fills whole buffers only')
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    for (let at = 0; at < bytes.length; at++) bytes[at] = process.random.whole(256)
    return view
  }
  const randomBytes = (size: number, ...done: never[]): unknown => {
    if (!currentProcess()) return bytesReally(size, ...done)
    if (done.length > 0) throw new Error('the simulation has no random bytes for callbacks')
    return fill(Buffer.alloc(size))
  }
  Object.assign(crypto, { randomFillSync: fill, randomBytes })
  Object.assign(globalThis.crypto, { getRandomValues: fill })
}

/** What no code of the services uses, and would make runs differ: a simulated process that calls it ends the run. */
function refuseOthers(): void {
  const refuse = (owner: object, name: string): void => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown
    const refusing = function (this: unknown, ...args: unknown[]): unknown {
      if (currentProcess()) throw new Error(`the simulation does not replace ${name}`)
      return original.apply(this, args)
    }
    Reflect.set(owner, name, Object.assign(refusing, original))
  }
  for (const owner of [crypto, globalThis.crypto]) refuse(owner, 'randomUUID')
  refuse(timersPromises, 'setImmediate')
  refuse(AbortSignal, 'timeout')
  refuse(process.hrtime, 'bigint')
  refuse(process, 'hrtime')
}

/** A timer of a simulated process, with what libraries call of Node's own. */
class SimulatedTimer {
  readonly #process: SimulatedProcess
  readonly #run: () => void
  readonly #repeatMs: number | undefined
  #event: Event | undefined

  constructor(process: SimulatedProcess, delayMs: number, work: () => void, repeatMs?: number) {
    const context = new AsyncResource('SimulatedTimer')
    this.#process = process
    this.#run = () => context.runInAsyncScope(work)
    this.#repeatMs = repeatMs
    this.#plan(delayMs)
  }

  #plan(delayMs: number): void {
    const { kernel, name } = this.#process
    this.#event = kernel.after(delayMs, name, () => this.#fire())
  }

  #fire(): void {
    const event = this.#event
    this.#process.deliver(() => {
      // A paused process may have stopped or restarted the timer before it came to this.
      if (this.#event !== event || event === undefined) return
      this.#event = undefined
      if (this.#repeatMs !== undefined) this.#plan(this.#repeatMs)
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
function startTimer(delayMs: number, work: () => void, repeatMs?: number): SimulatedTimer | undefined {
  const process = currentProcess()
  return process && new SimulatedTimer(process, delayMs, work, repeatMs)
}

/** Node's rule: a delay that is no number, or below 1, is 1 ms. */
function delayOf(ms: unknown): number {
  const delay = Number(ms)
  return delay >= 1 ? Math.trunc(delay) : 1
}
