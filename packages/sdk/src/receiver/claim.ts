import type { ReceiverStore } from './store.ts'

/** Longer than the gateway waits for an answer. A process that dies keeps its claim this long. */
const CLAIM_MS = 60_000
/** Three renewals may fail before the claim ends. */
const RENEW_EVERY_MS = 15_000
/** One hour: then the claim of a handler that never ends is given up. */
const MAX_RENEWALS = 240
/** How long a store must keep a claim. Only the time in the value ends it, so this only bounds the store's size. */
const KEPT_SECONDS = 24 * 3600
/** The value of an event that was handled. */
export const DONE = 'done'

/**
 * The right of one process to handle one event. The stored value says when it ends, so it ends also in a store that keeps values
 * forever.
 */
export interface Claim {
  /** `done`: the event was handled. `busy`: another process is handling it. */
  take(): Promise<'taken' | 'done' | 'busy'>
  /** Runs the handler and renews the claim meanwhile. */
  renewWhile(handler: () => Promise<void>): Promise<void>
  /** Ends the claim unless another process has taken it. Never throws: a claim that is not released ends by itself. */
  release(): Promise<void>
}

export interface ClaimOptions {
  readonly store: ReceiverStore
  readonly key: string
  readonly nowMs: () => number
}

export function createClaim({ store, key, nowMs }: ClaimOptions): Claim {
  const owner = crypto.randomUUID()
  /** Writes a claim that ends at `endsAtMs`, unless another process has a claim that has not ended. */
  const write = async (endsAtMs: number): Promise<'taken' | 'done' | 'busy'> => {
    // Many database clients return `null` when there is no value.
    const seen = (await store.get(key)) ?? undefined
    if (seen === DONE) return 'done'
    const [endsText, seenOwner] = (seen ?? '').split(' ')
    if (seenOwner !== owner && Number(endsText) > nowMs()) return 'busy'
    return (await store.replace(key, seen, `${endsAtMs} ${owner}`, KEPT_SECONDS)) ? 'taken' : 'busy'
  }
  return {
    take: () => write(nowMs() + CLAIM_MS),
    async renewWhile(handler) {
      const stop = repeat(() => write(nowMs() + CLAIM_MS))
      try {
        await handler()
      } finally {
        await stop()
      }
    },
    async release() {
      try {
        await write(0)
      } catch {
        // The caller reports why the handler failed.
      }
    },
  }
}

/** @returns a function that ends the renewals and waits for a running one, which could overwrite the result */
function repeat(renew: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<void> | undefined
  let renewals = 0
  const timer = setInterval(() => {
    renewals += 1
    if (renewals >= MAX_RENEWALS) clearInterval(timer)
    // A renewal that fails is tried again at the next tick.
    running ??= renew()
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => (running = undefined))
  }, RENEW_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await running
  }
}
