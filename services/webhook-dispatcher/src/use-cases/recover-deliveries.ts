import type { ResendTarget } from '@gateway/contracts'
import { registrationAt } from '../domain/endpoint.ts'
import { disabledOf } from '../domain/endpoint-health.ts'
import type { Position } from '../persistence/delivery-lists.ts'
import type { FindEndpoint } from './endpoint-directory.ts'
import { endpointDisabled, endpointMissing } from './read-endpoint.ts'
import type { Replayed, ReplayDead } from './replay-dead.ts'

export interface RecoverRequest {
  /** Of the deliveries' creation, included. */
  readonly since: Date
  readonly to: ResendTarget
  /** Where the part before ended. */
  readonly after?: Position | undefined
}

/**
 * Sends a merchant's dead deliveries again, those of before an outage and those that were pinned to a URL which is no more:
 * one part of them, the newest first, at a bounded rate. What is being retried goes on as it is. Asking twice has the
 * effect of once, since what was reopened is not dead any more. Throws `endpoint_missing` and `endpoint_disabled`.
 */
export type RecoverDeliveries = (merchantId: string, request: RecoverRequest) => Promise<Replayed>

export interface RecoverOptions {
  /** Of its own, so that merchants and operators do not share a pace. */
  readonly replayDead: ReplayDead
  readonly findEndpoint: FindEndpoint
  readonly now: () => Date
}

const PART = 200
const RATE_PER_SECOND = 50

export function makeRecoverDeliveries({ replayDead, findEndpoint, now }: RecoverOptions): RecoverDeliveries {
  return async (merchantId, { since, to, after }) => {
    const known = await findEndpoint(merchantId)
    const registration = registrationAt(known?.endpoint, now())
    if (!known || !registration) throw endpointMissing()
    if (to === 'current' && disabledOf(known.endpoint.health, registration.url)) throw endpointDisabled()
    return replayDead({ merchantId, from: since, target: to, after, limit: PART, ratePerSecond: RATE_PER_SECOND })
  }
}
