import type { ReceiverStore } from './store.ts'

/** Longer than the gateway waits for an answer. A process that dies keeps its claim this long. */
const CLAIM_SECONDS = 60
/** Three renewals may fail before the claim ends. */
const RENEW_EVERY_MS = 15_000
/** One hour: then the claim of a handler that never ends is given up. */
const MAX_RENEWALS = 240

/** The right of one process to handle one event, kept in the store under a random owner. */
export interface Claim {
  /** @returns the value that the key had already; `undefined` when the claim is taken now */
  take(): Promise<string | undefined>
  /** Runs the handler and renews the claim meanwhile. */
  renewWhile(handler: () => Promise<void>): Promise<void>
  /** Deletes the claim unless it is another process's by now. Never throws: a claim that stays ends by itself. */
  release(): Promise<void>
}

export function createClaim(store: ReceiverStore, key: string): Claim {
  const own = `claimed:${crypto.randomUUID()}`
  const take = (): Promise<string | undefined> => store.add(key, own, CLAIM_SECONDS)
  const renew = async (): Promise<void> => {
    // Another process's claim, or its result, stays.
    if ((await take()) === own) await store.set(key, own, CLAIM_SECONDS)
  }
  return {
    take,
    async renewWhile(handler) {
      const stop = repeat(renew)
      try {
        await handler()
      } finally {
        await stop()
      }
    },
    async release() {
      try {
        if ((await store.get(key)) === own) await store.delete(key)
      } catch {
        // The caller reports why the handler failed.
      }
    },
  }
}

/** @returns a function that ends the renewals and waits for a running one, which could overwrite the result */
function repeat(renew: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let renewals = 0
  const timer = setInterval(() => {
    renewals += 1
    if (renewals >= MAX_RENEWALS) clearInterval(timer)
    // A renewal that fails is tried again at the next tick.
    running ??= renew()
      .catch(() => undefined)
      .finally(() => (running = undefined))
  }, RENEW_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await running
  }
}
