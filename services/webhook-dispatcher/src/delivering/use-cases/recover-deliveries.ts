import { Unavailable, type ResendTarget } from '@gateway/contracts'
import type { Begin } from '@gateway/service-kit'
import type { Position } from '../../deliveries/index.ts'
import {
  CHANNELS,
  disabledOf,
  endpointDisabled,
  endpointIdOf,
  endpointMissing,
  type FindEndpoint,
  registrationAt,
} from '../../endpoints/index.ts'
import type { ReplayDead, Replayed } from './replay-dead.ts'

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
    const found = await Promise.all(CHANNELS.map((channel) => findEndpoint(endpointIdOf({ merchantId, channel }))))
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
