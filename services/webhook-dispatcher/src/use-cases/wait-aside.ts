import type { Delivery } from '../domain/delivery.ts'
import { nearestLevelMs, parkDelayMs } from '../domain/park-delay.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { WaitingAttempt, WaitingDeliveries } from '../persistence/waiting-deliveries.ts'
import type { Wait } from './admission.ts'
import type { WakeUps } from './attempt.ts'

/** `done`: nothing more to do with the message. Else nothing was tried: the message goes aside, unchanged, for so long. */
export type Delivered = 'done' | { readonly parkMs: number }

/** What to do with an attempt whose endpoint cannot be tried now: it waits without a place, and its number stays its own. */
export interface WaitAside {
  /** @param parked how often the message was aside before */
  firstAttempt(delivery: Delivery, wait: Wait, parked: number): Promise<Delivered>
  retry(attempt: WaitingAttempt, wait: Wait, parked: number): Promise<Delivered>
}

export interface WaitAsideOptions {
  /** Ascending; each is a queue. */
  readonly levelsMs: readonly [number, ...number[]]
  readonly deliveries: Pick<Deliveries, 'insert'>
  readonly waiting: Pick<WaitingDeliveries, 'postpone'>
  readonly wakeUps: Pick<WakeUps, 'aside'>
  readonly now: () => Date
  readonly random: () => number
}

/**
 * A first attempt that is merely over the limit of an endpoint that answers waits for a moment as the event that it is. Should it
 * have to wait for longer, it gets its record, `retrying` with the instant it waits for, and goes over to the retries: from then on
 * the merchant, the sweep and the audit see it, and what waits for a dead endpoint is not in the way of what is new.
 */
export function makeWaitAside({ levelsMs, deliveries, waiting, wakeUps, now, random }: WaitAsideOptions): WaitAside {
  const [shortestMs] = levelsMs
  const leastOf = ({ because, waitMs }: Wait): number => (because === 'limit' ? nearestLevelMs(levelsMs, waitMs) : waitMs)
  const delayOf = (wait: Wait, parked: number): number => parkDelayMs(levelsMs, parked, leastOf(wait), random())
  return {
    async firstAttempt(delivery, wait, parked) {
      if (wait.because === 'limit' && parked === 0 && leastOf(wait) === shortestMs) return { parkMs: shortestMs }
      const delayMs = delayOf(wait, parked)
      const state = { status: 'retrying', nextAttemptAt: new Date(now().getTime() + delayMs) } as const
      // Has it a record already, then whoever made that has published too, or the sweep will.
      if (await deliveries.insert({ ...delivery, state })) await wakeUps.aside(delivery, delayMs)
      return 'done'
    },

    async retry(attempt, wait, parked) {
      const delayMs = delayOf(wait, parked)
      const at = now()
      // So that the sweep does not take it for lost. The shortest wait ends long before that.
      if (delayMs === shortestMs) return { parkMs: delayMs }
      return (await waiting.postpone(attempt, new Date(at.getTime() + delayMs), at)) ? { parkMs: delayMs } : 'done'
    },
  }
}
