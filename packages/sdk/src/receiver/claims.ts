import { GatewayError } from '../errors.ts'
import type { WebhookEvent } from '../types/webhooks.ts'
import type { ReceiverStore } from './store.ts'

/** Longer than the gateway waits for an answer; a process that dies keeps its claim this long. */
const CLAIM_SECONDS = 60
/** As long as the gateway keeps deliveries, which can be sent again. */
const KEPT_SECONDS = 30 * 24 * 3600
const CLAIMED = 'claimed'
const DONE = 'done'

/** Lets each event have its effect once. */
export interface Claims {
  /**
   * Runs the handler unless the event was handled, or a later change of its payment was. Throws when another process is handling
   * the event at the moment.
   */
  once(event: WebhookEvent, handler: () => Promise<void>): Promise<void>
}

export function createClaims(store: ReceiverStore): Claims {
  const running = new Map<string, Promise<void>>()

  async function claimAndRun({ id, sequence, payload }: WebhookEvent, handler: () => Promise<void>): Promise<void> {
    const [eventKey, sequenceKey] = [`gateway:event:${id}`, `gateway:sequence:${payload.txnid}`]
    const before = await store.add(eventKey, CLAIMED, CLAIM_SECONDS)
    if (before === DONE) return
    if (before !== undefined) throw new GatewayError(`Webhook ${id} is being handled by another process`)
    try {
      const handled = await store.get(sequenceKey)
      if (handled === undefined || sequence > Number(handled)) {
        await handler()
        await store.set(sequenceKey, String(sequence), KEPT_SECONDS)
      }
    } catch (error) {
      await store.delete(eventKey)
      throw error
    }
    await store.set(eventKey, DONE, KEPT_SECONDS)
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
