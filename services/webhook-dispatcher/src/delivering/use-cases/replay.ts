import { Refused, Unavailable, type ResendTarget } from '@gateway/contracts'
import type { Begin } from '@gateway/service-kit'
import type { DeliveryLists, Position, UndeliveredFilter } from '../../deliveries/index.ts'
import {
  CHANNELS,
  disabledOf,
  endpointDisabled,
  endpointIdOf,
  endpointMissing,
  type FindEndpoint,
  registrationAt,
} from '../../endpoints/index.ts'
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

export interface RecoverRequest {
  /** Creation of the oldest delivery to send, included. */
  readonly since: Date
  readonly to: ResendTarget
  /** Where the previous part ended. */
  readonly after?: Position | undefined
}

/**
 * Sends a merchant's dead deliveries again after an outage or a change of URL: one part of them, newest first, at a bounded
 * rate. Deliveries that are being retried are left out. A repeated request sends nothing twice, since a reopened delivery is
 * no longer dead. Throws `endpoint_missing` and `endpoint_disabled`.
 */
export type RecoverDeliveries = (merchantId: string, request: RecoverRequest, begin: Begin) => Promise<Replayed>

export interface RecoverOptions {
  readonly replayDead: ReplayDead
  readonly findEndpoint: FindEndpoint
  readonly now: () => Date
}

const PART_SIZE = 200
const RATE_PER_SECOND = 50

export function makeRecoverDeliveries({ replayDead, findEndpoint, now }: RecoverOptions): RecoverDeliveries {
  return async (merchantId, { since, to, after }, begin) => {
    // Each channel has an endpoint of its own: one that can be sent to is enough, and `replayDead` skips the other's deliveries.
    const found = await Promise.all(CHANNELS.map((channel) => findEndpoint(endpointIdOf({ merchant_id: merchantId, channel }))))
    const current = found.flatMap((known) => {
      const registration = registrationAt(known?.endpoint, now())
      return known && registration ? [disabledOf(known.endpoint.health, registration.url)] : []
    })
    if (current.length === 0) throw endpointMissing()
    if (to === 'current' && current.every((disabled) => disabled)) throw endpointDisabled()
    const part = { merchantId, from: since, target: to, after, limit: PART_SIZE, ratePerSecond: RATE_PER_SECOND }
    return replayDead(part, once(begin))
  }
}

/** All callers wait for the one entry in the audit. */
function once(begin: Begin): Begin {
  let begun: Promise<void> | undefined
  return () => (begun ??= begin())
}

/** Runs a recovery. Throws `rate_limited`. */
export type LimitRecoveries = <R>(merchantId: string, recover: () => Promise<R>) => Promise<R>

/** Recoveries of all merchants at the same time. Each writes up to 50 records a second. */
const MAX_RUNNING = 20
const RETRY_AFTER_SECONDS = 5

/**
 * One recovery of a merchant at a time, and `MAX_RUNNING` of all merchants, on this replica: a merchant that floods this call
 * delays only itself.
 */
export function makeLimitRecoveries(): LimitRecoveries {
  const running = new Set<string>()
  return async (merchantId, recover) => {
    if (running.has(merchantId)) throw rateLimited('A recovery of your deliveries is running; wait for its answer')
    if (running.size >= MAX_RUNNING) throw rateLimited('Many merchants recover deliveries now; try again')
    running.add(merchantId)
    return recover().finally(() => running.delete(merchantId))
  }
}

function rateLimited(detail: string): Unavailable {
  return new Unavailable('rate_limited', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
