import { createBatcher } from '@gateway/service-kit'
import type { Delivery } from '../domain/delivery.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { PendingAttempt, PendingAttempts } from '../persistence/pending-attempts.ts'
import type { RetryPublisher } from '../publishing/retry-publisher.ts'
import type { Denied } from './admission.ts'
import { delayMsFor, nearestLevelMs, type DelayLevels } from './delay-levels.ts'
import type { Delay, MessageFacts, RetryMessageFacts } from './message-facts.ts'

/** A `Delay`: nothing was sent; the consumer publishes the same message again with this delay. */
export type Handled = 'done' | Delay

/**
 * The delay queue: keeps an attempt that was denied and publishes it again later. A delayed attempt holds no slot and keeps its
 * attempt number. On the broker it is one queue per delay, named `…park.…`.
 */
export interface DelayQueue {
  /**
   * A first attempt at the limit of an endpoint that answers is delayed once, briefly, as the event that it is. If it must wait
   * longer it gets a record (`retrying`) and waits among the retries, visible to the merchant, the sweep and the audit.
   */
  delayFirstAttempt(delivery: Delivery, denied: Denied, message: MessageFacts): Promise<Handled>
  /**
   * Moves the record's `next_attempt_at` only when the message would else come back so late that the sweep publishes a copy: while an
   * endpoint is down messages come back again and again, and each update writes an entry in every index of the record. Only an update
   * notices, and drops, a second message for the same attempt.
   */
  delayRetry(attempt: PendingAttempt, denied: Denied, message: Omit<RetryMessageFacts, 'acknowledge'>): Promise<Handled>
}

export interface DelayQueueOptions {
  readonly levelsMs: DelayLevels
  /** A record whose `next_attempt_at` is older than this is published again by the sweep. */
  readonly sweepOverdueMs: number
  readonly deliveries: Pick<Deliveries, 'insert'>
  readonly pendingAttempts: Pick<PendingAttempts, 'delay'>
  readonly retries: Pick<RetryPublisher, 'publishDelayed'>
  readonly now: () => Date
  readonly random: () => number
}

interface DelayedDelivery {
  readonly delivery: Delivery
  readonly delay: Required<Delay>
}

/** How much earlier than its message a record may be due, at most. */
const MAX_BEHIND_MS = 60_000

/** How many publications wait for each other, and for how long: a quarter of the shortest delay that gets a record. */
const BATCH = { maxBatchSize: 200, maxQueued: 5000, maxDelayMs: 250, flushAtSize: 50 } as const

export function createDelayQueue(options: DelayQueueOptions): DelayQueue {
  const { levelsMs, sweepOverdueMs, deliveries, pendingAttempts, retries, now, random } = options
  const [shortestMs] = levelsMs
  // The rest is for clocks that differ and for messages that come late.
  const maxBehindMs = Math.min(sweepOverdueMs / 3, MAX_BEHIND_MS)
  const minDelayMs = (denied: Denied): number =>
    denied.reason === 'at_limit' ? nearestLevelMs(levelsMs, denied.silentMs) : denied.retryAfterMs
  const delayFor = (denied: Denied, timesDelayed: number): number =>
    delayMsFor(levelsMs, timesDelayed, minDelayMs(denied), random())

  /** The broker confirmed all of the latest batch. */
  let isConfirming = true
  /** Publications that are not confirmed yet. */
  let waiting = 0
  /** In one batch, so that the broker stores, expires and returns the messages together: one flush of its log for all. */
  const publish = createBatcher<DelayedDelivery, unknown>({
    ...BATCH,
    async run(batch) {
      const published = await Promise.allSettled(batch.map(({ delivery, delay }) => retries.publishDelayed(delivery, delay)))
      isConfirming = published.every(({ status }) => status === 'fulfilled')
      return published
    },
  })

  return {
    async delayFirstAttempt(delivery, denied, { timesDelayed, acknowledge }) {
      const isBrief = denied.reason === 'at_limit' && timesDelayed === 0 && minDelayMs(denied) === shortestMs
      if (isBrief) return { delayMs: shortestMs }
      const delayMs = delayFor(denied, timesDelayed)
      const recordDueMs = now().getTime() + delayMs
      const state = { status: 'retrying', nextAttemptAt: new Date(recordDueMs) } as const
      // If a record exists, its creator or the sweep publishes the retry.
      if (!(await deliveries.insert({ ...delivery, state }))) return 'done'
      // Else the messages that are kept hold back those for which there is no room.
      if (isConfirming && waiting < BATCH.maxBatchSize) acknowledge()
      waiting += 1
      await publish({ delivery, delay: { delayMs, recordDueMs } }).finally(() => (waiting -= 1))
      return 'done'
    },

    async delayRetry(attempt, denied, message) {
      const delayMs = delayFor(denied, message.timesDelayed)
      const at = now()
      const untilMs = at.getTime() + delayMs
      // A message that knows nothing of its record comes when that is due. It may be a copy, so only the briefest delay changes nothing.
      const recordDueMs = message.recordDueMs ?? (delayMs === shortestMs ? at.getTime() : -Infinity)
      if (untilMs - recordDueMs <= maxBehindMs) return { delayMs, recordDueMs }
      return (await pendingAttempts.delay(attempt, new Date(untilMs), at)) ? { delayMs, recordDueMs: untilMs } : 'done'
    },
  }
}
