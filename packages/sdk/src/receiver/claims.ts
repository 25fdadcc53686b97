import { DuplicateInFlightError } from '../errors.ts'
import type { WebhookEvent } from '../webhooks/verify.ts'
import type { ReceiverStore } from './store.ts'

/** Longer than the gateway waits for an answer. A process that dies keeps its claim this long. */
const CLAIM_MS = 60_000
/** Three renewals may fail before the claim ends. */
const RENEW_EVERY_MS = 15_000
/** One hour: then the claim of a handler that never ends is given up. */
const MAX_RENEWALS = 240
/** How long a store must keep a claim. Only the time in the value ends it, so this only bounds the store's size. */
const CLAIM_KEPT_SECONDS = 24 * 3600
/** The value of an event that was handled. */
const DONE = 'done'
/** As long as the gateway keeps deliveries, which can be sent again. */
const RESULT_KEPT_SECONDS = 30 * 24 * 3600
/** Pauses between the tries to store a result; together shorter than the gateway waits for an answer. */
const STORE_PAUSES_MS = [100, 400, 1500]

/** Lets each event have its effect once. */
export type Claims = ReturnType<typeof createClaims>

interface ClaimsOptions {
  readonly store: ReceiverStore
  readonly nowMs: () => number
  /** Called when the handler succeeded and the store could not keep that. */
  readonly onNotStored: (error: unknown) => void
}

export function createClaims({ store, nowMs, onNotStored }: ClaimsOptions) {
  const running = new Map<string, Promise<void>>()

  async function claimAndRun({ id, sequence, payload }: WebhookEvent, handler: () => Promise<void>): Promise<void> {
    const [eventKey, sequenceKey] = [`gateway:event:${id}`, `gateway:sequence:${payload.txnid}`]
    const claim = createClaim(store, eventKey, nowMs)
    const taken = await claim.take()
    if (taken === 'done') return
    if (taken === 'busy') throw new DuplicateInFlightError(id)
    const isOlder = (handled: string | undefined): boolean => Number(handled ?? -1) >= sequence
    const results: Result[] = [{ key: eventKey, value: DONE, unless: (seen) => seen === DONE }]
    try {
      if (!isOlder(await store.get(sequenceKey))) {
        await claim.renewWhile(handler)
        results.push({ key: sequenceKey, value: String(sequence), unless: isOlder })
      }
    } catch (error) {
      await claim.release()
      throw error
    }
    // The effect has happened: from here on an error must not make the gateway send the webhook again.
    await keep(results)
  }

  async function keep(results: readonly Result[]): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await Promise.all(results.map((result) => write(store, result)))
        return
      } catch (error) {
        const pauseMs = STORE_PAUSES_MS[attempt]
        if (pauseMs === undefined) {
          onNotStored(error)
          return
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }

  return {
    /**
     * Runs the handler unless the event was handled, or a later change of its payment was. Throws `DuplicateInFlightError` when
     * another process is handling the event, and the handler's error when it fails.
     */
    once(event: WebhookEvent, handler: () => Promise<void>): Promise<void> {
      // Copies that arrive together in this process share one outcome.
      const existing = running.get(event.id)
      if (existing) return existing
      const started = claimAndRun(event, handler).finally(() => running.delete(event.id))
      running.set(event.id, started)
      return started
    },
  }
}

interface Result {
  readonly key: string
  readonly value: string
  /** True when the stored value already says this, or more. */
  readonly unless: (seen: string | undefined) => boolean
}

const MAX_CONFLICTS = 10

/** Writes the result over whatever is stored, such as a claim that another process took meanwhile. */
async function write(store: ReceiverStore, { key, value, unless }: Result): Promise<void> {
  for (let conflict = 0; conflict < MAX_CONFLICTS; conflict++) {
    const seen = (await store.get(key)) ?? undefined
    if (unless(seen) || (await store.replace(key, seen, value, RESULT_KEPT_SECONDS))) return
  }
  throw new Error(`the store did not replace ${key} in ${MAX_CONFLICTS} tries`)
}

/**
 * The right of one process to handle one event. The stored value says when it ends, so it ends also in a store that keeps values
 * forever.
 */
function createClaim(store: ReceiverStore, key: string, nowMs: () => number) {
  const owner = crypto.randomUUID()
  /** Writes a claim that ends at `endsAtMs`, unless another process has a claim that has not ended. */
  const write = async (endsAtMs: number): Promise<'taken' | 'done' | 'busy'> => {
    // Many database clients return `null` when there is no value.
    const seen = (await store.get(key)) ?? undefined
    if (seen === DONE) return 'done'
    const [endsText, seenOwner] = (seen ?? '').split(' ')
    if (seenOwner !== owner && Number(endsText) > nowMs()) return 'busy'
    return (await store.replace(key, seen, `${endsAtMs} ${owner}`, CLAIM_KEPT_SECONDS)) ? 'taken' : 'busy'
  }
  return {
    /** `done`: the event was handled. `busy`: another process is handling it. */
    take: () => write(nowMs() + CLAIM_MS),
    /** Runs the handler and renews the claim meanwhile. */
    async renewWhile(handler: () => Promise<void>): Promise<void> {
      const stop = repeat(() => write(nowMs() + CLAIM_MS))
      try {
        await handler()
      } finally {
        await stop()
      }
    },
    /** Ends the claim unless another process has taken it. Never throws: a claim that is not released ends by itself. */
    async release(): Promise<void> {
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
