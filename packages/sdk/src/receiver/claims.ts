import { GatewayError } from '../errors.ts'
import type { WebhookEvent } from '../types/webhooks.ts'
import { createClaim } from './claim.ts'
import type { ReceiverStore } from './store.ts'

/** As long as the gateway keeps deliveries, which can be sent again. */
const KEPT_SECONDS = 30 * 24 * 3600
const DONE = 'done'
/** Pauses between the tries to store a result; together shorter than the gateway waits for an answer. */
const STORE_PAUSES_MS = [100, 400, 1500]

type Result = readonly [key: string, value: string]

/** Lets each event have its effect once. */
export interface Claims {
  /**
   * Runs the handler unless the event was handled, or a later change of its payment was. Throws when another process is handling
   * the event at the moment, and when the handler fails.
   */
  once(event: WebhookEvent, handler: () => Promise<void>): Promise<void>
}

/** @param onNotStored called when the handler succeeded and the store could not keep that */
export function createClaims(store: ReceiverStore, onNotStored: (error: unknown) => void): Claims {
  const running = new Map<string, Promise<void>>()

  async function claimAndRun({ id, sequence, payload }: WebhookEvent, handler: () => Promise<void>): Promise<void> {
    const [eventKey, sequenceKey] = [`gateway:event:${id}`, `gateway:sequence:${payload.txnid}`]
    const claim = createClaim(store, eventKey)
    const before = await claim.take()
    if (before === DONE) return
    if (before !== undefined) throw new GatewayError(`Webhook ${id} is being handled by another process`)
    const results: Result[] = [[eventKey, DONE]]
    try {
      const handled = await store.get(sequenceKey)
      if (handled === undefined || sequence > Number(handled)) {
        await claim.renewWhile(handler)
        results.push([sequenceKey, String(sequence)])
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
        await Promise.all(results.map(([key, value]) => store.set(key, value, KEPT_SECONDS)))
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
