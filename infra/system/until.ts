import { setTimeout as delay } from 'node:timers/promises'
import { stopping } from './stopping.ts'

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
