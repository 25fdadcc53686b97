import {
  type Deliveries,
  type Delivery,
  isAddressed,
  notSent,
  openDelivery,
  type PendingAttempt,
  type PendingAttempts,
  type WebhookEvent,
  webhookOf,
  withEndpointDisabled,
} from '../../deliveries/index.ts'
import { disabledOf, type EndpointId, type FindEndpoint, registrationAt } from '../../endpoints/index.ts'
import type { Throttle } from '../../throttling/index.ts'
import type { Lease } from './claims.ts'
import type { DeliveryObserver, Exchanges } from './exchange.ts'
import type { Handled, Parking, RetryTrigger, Trigger } from './park.ts'

export interface FirstTrigger extends Trigger {
  /** True for an event marked as maybe published, and for a redelivered message: claim the record before the POST. */
  readonly mayBeRepeated: boolean
}

/** Handles one status change of a payment or a refund. The common path is one POST and one batched insert of the finished record. */
export type DeliverFirst = (event: WebhookEvent, trigger: FirstTrigger) => Promise<Handled>

export interface DeliverFirstOptions {
  readonly findEndpoint: FindEndpoint
  readonly deliveries: Pick<Deliveries, 'insert' | 'claim'>
  readonly throttle: Throttle
  readonly parking: Pick<Parking, 'parkFirst'>
  readonly exchanges: Exchanges
  readonly observer: DeliveryObserver
  readonly now: () => Date
}

export function makeDeliverFirst(options: DeliverFirstOptions): DeliverFirst {
  const { findEndpoint, deliveries, throttle, parking, exchanges, observer, now } = options

  return async (event, trigger) => {
    const webhook = webhookOf(event)
    const { endpointId } = webhook
    const known = await findEndpoint(endpointId)
    const registration = registrationAt(known?.endpoint, webhook.boundAt)
    // Merchants opt in to webhooks of refunds: without an endpoint none is owed.
    if (!registration && webhook.channel === 'refund') return 'done'
    const delivery = openDelivery(event, webhook, registration?.url, now())
    if (!known || !isAddressed(delivery)) return insertDead(delivery, 'no_endpoint')
    const { url } = delivery
    if (disabledOf(known.endpoint.health, url)) return insertDead(withEndpointDisabled(delivery, now()), 'endpoint_disabled')
    const slot = await throttle.acquireSoon({ endpointId, url }, 'first_attempts')
    if (slot.kind === 'denied') return parking.parkFirst(delivery, slot, trigger)
    const permit = { known, url, slot, priority: 'first_attempts', acknowledge: trigger.acknowledge } as const
    if (trigger.mayBeRepeated) await exchanges.claimThenSend((lease) => insertOrClaim(delivery, lease), permit)
    else await exchanges.sendThenInsert(delivery, permit)
    return 'done'
  }

  async function insertDead(delivery: Delivery, why: 'no_endpoint' | 'endpoint_disabled'): Promise<'done'> {
    if (await deliveries.insert(delivery)) observer.settled(why)
    return 'done'
  }

  async function insertOrClaim(delivery: Delivery, lease: Lease): Promise<Delivery | undefined> {
    return (await deliveries.insert(delivery, lease.until)) ? delivery : deliveries.claim(delivery, 1, lease)
  }
}

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
    const { deliveryId, merchantId, attempt, endpointId, url } = retry
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
    const key = { id: deliveryId, merchant_id: merchantId }
    await exchanges.claimThenSend((lease) => deliveries.claim(key, attempt, lease), permit)
    return 'done'
  }
}
