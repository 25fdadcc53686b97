import { randomFillSync } from 'node:crypto'
import crypto from 'node:crypto'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { currentProcess } from './process.ts'
import { real } from './real.ts'
import { delayOf, SimulatedTimer, startTimer } from './timers.ts'

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
  syncBuiltinESMExports()
}

function patchTimers(): void {
  const start = (name: 'setTimeout' | 'setInterval', repeats: boolean) => {
    const original = globalThis[name]
    return (work: Work, ms?: unknown, ...args: unknown[]) =>
      startTimer(delayOf(ms), () => work(...args), { repeats }) ?? original(work, Number(ms ?? 0), ...args)
  }
  const stop = (name: 'clearTimeout' | 'clearInterval' | 'clearImmediate') => {
    const original: (timer: never) => void = globalThis[name]
    return (timer: unknown) => {
      if (timer instanceof SimulatedTimer) timer.cancel()
      else original(timer as never)
    }
  }
  const setImmediate = (work: Work, ...args: unknown[]) => startTimer(0, () => work(...args)) ?? real.setImmediate(work, ...args)
  const patched = {
    setTimeout: start('setTimeout', false),
    setInterval: start('setInterval', true),
    setImmediate,
    clearTimeout: stop('clearTimeout'),
    clearInterval: stop('clearInterval'),
    clearImmediate: stop('clearImmediate'),
  }
  Object.assign(globalThis, patched)
  Object.assign(timers, patched)
}

function patchPromisedTimers(): void {
  const { setTimeout: sleepReally, setImmediate: yieldReally } = timersPromises as Record<string, (...args: unknown[]) => unknown>
  const wait = (delayMs: number, value: unknown, { signal }: TimerOptions = {}) =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(abortError(signal?.reason))
      if (signal?.aborted) {
        fail()
        return
      }
      const abort = (): void => {
        timer?.cancel()
        fail()
      }
      const timer = startTimer(delayMs, () => {
        signal?.removeEventListener('abort', abort)
        resolve(value)
      })
      signal?.addEventListener('abort', abort, { once: true })
    })
  timersPromises['setTimeout'] = (ms?: unknown, value?: unknown, options?: TimerOptions) =>
    currentProcess() ? wait(delayOf(ms), value, options) : sleepReally?.(ms, value, options)
  timersPromises['setImmediate'] = (value?: unknown, options?: TimerOptions) =>
    currentProcess() ? wait(0, value, options) : yieldReally?.(value, options)
  const timeoutReally = AbortSignal.timeout.bind(AbortSignal)
  AbortSignal.timeout = (ms) => {
    if (!currentProcess()) return timeoutReally(ms)
    const controller = new AbortController()
    startTimer(delayOf(ms), () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')))
    return controller.signal
  }
}

function abortError(cause: unknown): Error {
  return Object.assign(new Error('The operation was aborted', { cause }), { name: 'AbortError', code: 'ABORT_ERR' })
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
    apply: () => new real.Date(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : (Reflect.get(target, key, receiver) as unknown)),
  })
  globalThis.Date = Patched
  // Otherwise `value.constructor === Date` would be false.
  Object.defineProperty(real.Date.prototype, 'constructor', { value: Patched, writable: true, configurable: true })
  performance.now = () => currentProcess()?.kernel.elapsedMs ?? real.performanceNow()
  const hrtimeReally = process.hrtime
  const bigint = (): bigint => BigInt(Math.round(performance.now() * 1e6))
  const hrtime = (before: [number, number] = [0, 0]): [number, number] => {
    const ns = bigint() - (BigInt(before[0]) * 1_000_000_000n + BigInt(before[1]))
    return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)]
  }
  process.hrtime = Object.assign((before?: [number, number]) => (currentProcess() ? hrtime(before) : hrtimeReally(before)), {
    bigint: () => (currentProcess() ? bigint() : hrtimeReally.bigint()),
  })
}

function patchRandomness(): void {
  const randomReally = Math.random
  Math.random = () => currentProcess()?.random.next() ?? randomReally()
  const fill = <T extends NodeJS.ArrayBufferView>(view: T, offset?: number, size?: number): T => {
    const process = currentProcess()
    if (!process) return size === undefined ? fillReally(view, offset) : fillReally(view, offset, size)
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    for (let at = offset ?? 0; at < (size === undefined ? bytes.length : (offset ?? 0) + size); at++)
      bytes[at] = process.random.whole(256)
    return view
  }
  const fillReally = randomFillSync
  const bytesOf = (size: number): Buffer => fill(Buffer.alloc(size))
  const uuid = (): string => {
    const bytes = bytesOf(16)
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/u, '$1-$2-$3-$4-')
  }
  const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void): Buffer | undefined => {
    if (!done) return bytesOf(size)
    process.nextTick(() => done(null, bytesOf(size)))
    return undefined
  }
  Object.assign(crypto, { randomFillSync: fill, randomBytes, randomUUID: uuid })
  Object.assign(globalThis.crypto, { getRandomValues: fill, randomUUID: uuid })
}
