import { Refused, Unavailable, type ResendTarget } from '@gateway/contracts'
import type { Begin } from '@gateway/service-kit'
import type { DeliveryLists, Position, UndeliveredFilter } from '../../deliveries/index.ts'
import type { Resend } from './resend.ts'

export interface ReplayRequest extends UndeliveredFilter {
  /** Deliveries to read in this step. */
  readonly limit: number
  readonly ratePerSecond: number
  /** By default the URL that each delivery went to last. */
  readonly target?: ResendTarget | undefined
  /** Where the previous step ended. */
  readonly after?: Position | undefined
}

export interface Replayed {
  readonly replayed: number
  /** Not sent: no endpoint, a disabled endpoint, no longer dead, or changed by others at that moment. */
  readonly skipped: number
  /** Where the next step begins; `undefined` when there is nothing left. */
  readonly next?: Position
}

/**
 * One bounded step of a replay: dead deliveries, newest first, each read once. A reopened delivery is no longer dead, so an
 * interrupted replay can start again from anywhere and sends nothing twice. Calls `begin` before each delivery that it sends.
 */
export type ReplayDead = (request: ReplayRequest, begin?: Begin) => Promise<Replayed>

/** A step ends after this time even when its limit is not reached; the caller continues with the next step. */
const MAX_STEP_MS = 10_000
const MAX_PER_GROUP = 20
const GROUPS_PER_SECOND = 10

export interface ReplayOptions {
  readonly lists: Pick<DeliveryLists, 'positionsOfDead'>
  readonly resend: Pick<Resend, 'dead'>
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

export function makeReplayDead({ lists, resend, now, waitUntil }: ReplayOptions): ReplayDead {
  /** When the next group may be sent. All replays of this instance share the rate. */
  let nextGroupAtMs = 0

  async function waitForRate(count: number, ratePerSecond: number): Promise<void> {
    const startsAtMs = Math.max(now().getTime(), nextGroupAtMs)
    nextGroupAtMs = startsAtMs + (count * 1000) / ratePerSecond
    await waitUntil(startsAtMs)
  }

  async function replayOne(id: string, target: ResendTarget | undefined, begin?: Begin): Promise<boolean> {
    try {
      await resend.dead(id, target, begin)
      return true
    } catch (error) {
      if (error instanceof Refused || isBusy(error)) return false
      throw error
    }
  }

  return async ({ limit, ratePerSecond, target, after, ...filter }, begin) => {
    const endsAtMs = now().getTime() + MAX_STEP_MS
    const dead = await lists.positionsOfDead(filter, { limit: limit + 1, after })
    const groupSize = Math.min(MAX_PER_GROUP, Math.ceil(ratePerSecond / GROUPS_PER_SECOND))
    let [seen, replayed] = [0, 0]
    while (seen < Math.min(dead.length, limit) && now().getTime() < endsAtMs) {
      const group = dead.slice(seen, Math.min(seen + groupSize, limit))
      await waitForRate(group.length, ratePerSecond)
      const results = await Promise.all(group.map(({ id }) => replayOne(id, target, begin)))
      seen += group.length
      replayed += results.filter(Boolean).length
    }
    const last = dead[seen - 1]
    const counts = { replayed, skipped: seen - replayed }
    return seen < dead.length && last ? { ...counts, next: last } : counts
  }
}

/** Others change this one delivery, which says nothing about the next ones. */
function isBusy(error: unknown): boolean {
  return error instanceof Unavailable && error.code === 'delivery_busy'
}
