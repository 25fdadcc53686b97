import type { ResendTarget } from '@gateway/contracts'
import type { Begin } from '@gateway/service-kit'
import { CHANNELS, endpointIdOf } from '../domain/channel.ts'
import { registrationAt } from '../domain/endpoint.ts'
import { disabledOf } from '../domain/endpoint-health.ts'
import type { Position } from '../persistence/delivery-lists.ts'
import type { FindEndpoint } from '../endpoint-directory/find-endpoint.ts'
import { endpointDisabled, endpointMissing } from './read-endpoint.ts'
import type { Replayed, ReplayRequest } from './replay-dead.ts'

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
  /** Calls `begin` before each delivery that it sends. */
  readonly replayDead: (request: ReplayRequest, begin: Begin) => Promise<Replayed>
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
