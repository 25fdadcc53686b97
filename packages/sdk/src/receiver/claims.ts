import { DuplicateInFlightError } from '../errors.ts'
import type { WebhookEvent } from '../webhooks/verify.ts'
import { createClaim, DONE } from './claim.ts'
import type { ReceiverStore } from './store.ts'

/** As long as the gateway keeps deliveries, which can be sent again. */
const KEPT_SECONDS = 30 * 24 * 3600
/** Pauses between the tries to store a result; together shorter than the gateway waits for an answer. */
const STORE_PAUSES_MS = [100, 400, 1500]

/** Lets each event have its effect once. */
export interface Claims {
  /**
   * Runs the handler unless the event was handled, or a later change of its payment was. Throws `DuplicateInFlightError` when
   * another process is handling the event, and the handler's error when it fails.
   */
  once(event: WebhookEvent, handler: () => Promise<void>): Promise<void>
}

interface ClaimsOptions {
  readonly store: ReceiverStore
  readonly nowMs: () => number
  /** Called when the handler succeeded and the store could not keep that. */
  readonly onNotStored: (error: unknown) => void
}

export function createClaims({ store, nowMs, onNotStored }: ClaimsOptions): Claims {
  const running = new Map<string, Promise<void>>()

  async function claimAndRun({ id, sequence, payload }: WebhookEvent, handler: () => Promise<void>): Promise<void> {
    const [eventKey, sequenceKey] = [`gateway:event:${id}`, `gateway:sequence:${payload.txnid}`]
    const claim = createClaim({ store, key: eventKey, nowMs })
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
    once(event, handler) {
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
    if (unless(seen) || (await store.replace(key, seen, value, KEPT_SECONDS))) return
  }
  throw new Error(`the store did not replace ${key} in ${MAX_CONFLICTS} tries`)
}
