import { notSent, type PendingAttempt, type PendingAttempts } from '../../deliveries/index.ts'
import { disabledOf, type EndpointId } from '../../endpoints/index.ts'
import type { RetryTrigger } from '../domain/trigger.ts'
import type { DeliverFirstOptions } from './deliver-first.ts'
import type { Handled, Parking } from './park.ts'

/** The attempt that a retry message asks for. The record decides whether it is made. */
export interface Retry extends PendingAttempt {
  readonly endpointId: EndpointId
}

export type DeliverRetry = (retry: Retry, trigger: RetryTrigger) => Promise<Handled>

export interface DeliverRetryOptions extends Omit<DeliverFirstOptions, 'parking'> {
  readonly pendingAttempts: Pick<PendingAttempts, 'giveUp'>
  readonly parking: Pick<Parking, 'parkRetry'>
}

/** Makes one more attempt, if the record still wants it and no other replica makes it: claim → POST → record → publish. */
export function makeDeliverRetry(options: DeliverRetryOptions): DeliverRetry {
  const { findEndpoint, deliveries, pendingAttempts, throttle, parking, exchanges, observer, now } = options

  return async (retry, trigger) => {
    const { deliveryId, attempt, endpointId, url } = retry
    // Before a slot is taken: the database may be away.
    const known = await findEndpoint(endpointId)
    // Only when the database was restored to a time before this merchant registered: the delivery is gone too.
    if (!known) return 'done'
    if (disabledOf(known.endpoint.health, url)) {
      const why = { note: notSent('endpoint_disabled', now()), reason: 'endpoint_disabled' } as const
      if (await pendingAttempts.giveUp(retry, why, now())) observer.settled('endpoint_disabled')
      return 'done'
    }
    const slot = throttle.acquire({ endpointId, url }, 'retries')
    if (slot.kind === 'denied') return parking.parkRetry(retry, slot, trigger)
    const permit = { known, url, slot, priority: 'retries', acknowledge: trigger.acknowledge } as const
    await exchanges.claimThenSend((lease) => deliveries.claim(deliveryId, attempt, lease), permit)
    return 'done'
  }
}
