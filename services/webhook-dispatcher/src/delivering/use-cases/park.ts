import { createBatcher } from '@gateway/service-kit'
import type { Deliveries, Delivery, PendingAttempt, PendingAttempts } from '../../deliveries/index.ts'
import type { Denied } from '../../throttling/index.ts'
import type { Parked } from '../publishing/park-message.ts'
import type { RetryPublisher } from '../publishing/retry-publisher.ts'

/** The message that triggered an attempt. */
export interface Trigger {
  /** How often the message was parked. */
  readonly timesParked: number
  /** Lets the broker forget the message, while the delivery goes on: its record and the lease of its claim keep it from then on. */
  readonly acknowledge: () => void
}

export interface RetryTrigger extends Trigger, Pick<Parked, 'recordDueMs'> {}

/** A `Parked`: nothing was sent; the consumer publishes the same message again with this time. */
export type Handled = 'done' | Parked

export type Parking = ReturnType<typeof createParking>

/** How long attempts can be parked, in milliseconds and ascending. Each level is a queue on the broker. */
export type ParkLevels = readonly [number, ...number[]]

export interface ParkingOptions {
  readonly levelsMs: ParkLevels
  /** A record whose `next_attempt_at` is older than this is published again by the sweep. */
  readonly sweepOverdueMs: number
  readonly deliveries: Pick<Deliveries, 'insert'>
  readonly pendingAttempts: Pick<PendingAttempts, 'park'>
  readonly retries: Pick<RetryPublisher, 'publishParked'>
  readonly now: () => Date
  readonly random: () => number
}

/** How much earlier than its message a record may be due, at most. */
const MAX_BEHIND_MS = 60_000

/** How many publications wait for each other, and for how long: a quarter of the shortest time that gets a record. */
const BATCH = { maxBatchSize: 200, maxQueued: 5000, maxDelayMs: 250, flushAtSize: 50 } as const

/**
 * Parks an attempt that throttling denied, and publishes it again later. A parked attempt holds no slot and keeps its attempt number.
 * On the broker there is one park queue for each level, named `…park.…`.
 */
export function createParking(options: ParkingOptions) {
  const { levelsMs, sweepOverdueMs, deliveries, pendingAttempts, retries, now, random } = options
  const [shortestMs] = levelsMs
  // The rest is for clocks that differ and for messages that come late.
  const maxBehindMs = Math.min(sweepOverdueMs / 3, MAX_BEHIND_MS)
  const minParkMs = (denied: Denied): number =>
    denied.reason === 'at_limit' ? nearestLevelMs(levelsMs, denied.silentMs) : denied.retryAfterMs
  const parkFor = (denied: Denied, timesParked: number): number => parkMsFor(levelsMs, timesParked, minParkMs(denied), random())

  /** The broker confirmed all of the latest batch. */
  let isConfirming = true
  let unconfirmed = 0
  /** In one batch, so that the broker stores, expires and returns the messages together: one flush of its log for all. */
  const publish = createBatcher<{ delivery: Delivery; parked: Required<Parked> }, unknown>({
    ...BATCH,
    async run(batch) {
      const published = await Promise.allSettled(batch.map(({ delivery, parked }) => retries.publishParked(delivery, parked)))
      isConfirming = published.every(({ status }) => status === 'fulfilled')
      return published
    },
  })

  return {
    /**
     * A first attempt at the limit of an endpoint that answers is parked once, briefly, as the event that it is. If it must wait
     * longer it gets a record (`retrying`) and is parked among the retries, visible to the merchant, the sweep and the audit.
     */
    async parkFirst(delivery: Delivery, denied: Denied, { timesParked, acknowledge }: Trigger): Promise<Handled> {
      const isBrief = denied.reason === 'at_limit' && timesParked === 0 && minParkMs(denied) === shortestMs
      if (isBrief) return { parkMs: shortestMs }
      const parkMs = parkFor(denied, timesParked)
      const recordDueMs = now().getTime() + parkMs
      const state = { status: 'retrying', next_attempt_at: new Date(recordDueMs) } as const
      // If a record exists, its creator or the sweep publishes the retry.
      if (!(await deliveries.insert({ ...delivery, state }))) return 'done'
      // Else the messages that are kept hold back those for which there is no room.
      if (isConfirming && unconfirmed < BATCH.maxBatchSize) acknowledge()
      unconfirmed += 1
      await publish({ delivery, parked: { parkMs, recordDueMs } }).finally(() => (unconfirmed -= 1))
      return 'done'
    },

    /**
     * Moves the record's `next_attempt_at` only when the message would else come back so late that the sweep publishes a copy: while an
     * endpoint is down messages come back again and again, and each update writes an entry in every index of the record. Only an update
     * notices, and drops, a second message for the same attempt.
     */
    async parkRetry(attempt: PendingAttempt, denied: Denied, trigger: Omit<RetryTrigger, 'acknowledge'>): Promise<Handled> {
      const parkMs = parkFor(denied, trigger.timesParked)
      const at = now()
      const untilMs = at.getTime() + parkMs
      // A message that knows nothing of its record comes when that is due. It may be a copy, so only the briefest time changes nothing.
      const recordDueMs = trigger.recordDueMs ?? (parkMs === shortestMs ? at.getTime() : -Infinity)
      if (untilMs - recordDueMs <= maxBehindMs) return { parkMs, recordDueMs }
      return (await pendingAttempts.park(attempt, new Date(untilMs), at)) ? { parkMs, recordDueMs: untilMs } : 'done'
    },
  }
}

/**
 * How long a denied attempt is parked: one of the levels, at least `minParkMs` as far as there are levels. Above that, a
 * back-off with full jitter: random, from the shortest level up to one that grows with `timesParked` (1, 3, 7, 15, …).
 *
 * Attempts for a busy endpoint so come back spread out, and old ones cost little.
 *
 * @param timesParked how often the attempt was parked before
 * @param random a random number from 0 to 1
 */
export function parkMsFor(levelsMs: readonly number[], timesParked: number, minParkMs: number, random: number): number {
  const last = levelsMs.length - 1
  const highest = Math.min(Math.floor(Math.log2(timesParked + 1)), last)
  const atRandom = Math.min(Math.floor(random * (highest + 1)), highest)
  const longEnough = levelsMs.findIndex((levelMs) => levelMs >= minParkMs)
  const parkMs = levelsMs[Math.max(atRandom, longEnough < 0 ? last : longEnough)]
  if (parkMs === undefined) throw new RangeError('there must be at least one level')
  return parkMs
}

/**
 * The level nearest to `silentMs`, as a ratio: an endpoint that has been silent for a time will likely be silent for about as
 * long again. The next longer level would leave free slots unused, the next shorter one would move messages around for nothing.
 */
export function nearestLevelMs(levelsMs: ParkLevels, silentMs: number): number {
  const [shortestMs] = levelsMs
  // The border between two levels is their geometric mean.
  return levelsMs.findLast((levelMs, index) => silentMs ** 2 >= levelMs * (levelsMs[index - 1] ?? Infinity)) ?? shortestMs
}
