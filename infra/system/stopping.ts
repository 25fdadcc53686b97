/** How this process is asked to stop, and waits that end with it. */
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

/** The first of SIGINT, SIGTERM and SIGHUP. Later signals are ignored, since a stop is bounded in time. */
const controller = new AbortController()

/** Aborted with a `Stopped` as its reason when this process is asked to stop; preparing work then gives up. */
export const stopping: AbortSignal = controller.signal

/** The exit code that shells report for a program ended by this signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

/** Installs the signal handlers; from now on a signal aborts `stopping` instead of ending the process. Resolves to the signal. */
export async function untilAskedToStop(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      controller.abort(new Stopped(name))
      resolve(name)
    })
  }
  return promise
}

/** Resolves as `work` does; rejects as soon as this process is asked to stop, without waiting for the rest of `work`. */
export async function unlessStopped<T>(work: () => Promise<T>): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  stopping.throwIfAborted()
  stopping.addEventListener('abort', () => stopped.reject(stopping.reason), { once: true })
  const working = work()
  working.catch(() => undefined)
  return Promise.race([working, stopped.promise])
}

const POLL_MS = 100

/**
 * Polls until `check` resolves to true. Throws with the last error of `check` as its cause after `withinMs`, and at once when
 * `gone` resolves (the checked process has ended) or this process is asked to stop.
 */
export async function until(
  what: string,
  check: () => Promise<boolean>,
  withinMs: number,
  gone?: Promise<string>,
): Promise<void> {
  const deadline = Date.now() + withinMs
  let ended: string | undefined
  void gone?.then((how) => (ended = how))
  let lastError: unknown
  for (;;) {
    try {
      if (await check()) return
    } catch (error) {
      lastError = error
    }
    if (ended !== undefined) throw new Error(`${what} ended before it was ready (${ended})`)
    if (Date.now() > deadline) throw new Error(`${what} was not ready within ${withinMs / 1000} s`, { cause: lastError })
    stopping.throwIfAborted()
    await delay(POLL_MS)
  }
}
