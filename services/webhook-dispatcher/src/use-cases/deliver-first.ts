import type { TransactionStatusChanged } from '@gateway/contracts'
import { openDelivery, withAttempt, type Delivery } from '../domain/delivery.ts'
import { registrationAt } from '../domain/endpoint.ts'
import { payloadOf } from '../domain/payload.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { AttemptSteps, DeliveryObserver } from './attempt.ts'
import type { FindEndpoint, KnownEndpoint } from './endpoint-directory.ts'
import type { InFlightLimits } from './in-flight-limits.ts'

/** `done`: nothing more to do with the message. `over_limit`: not tried, the endpoint has as much as it may have. */
export type Delivered = 'done' | 'over_limit'

/**
 * Handles one status change. `claimFirst` when the message may have been handled before (it is redelivered): then the
 * record is claimed before the POST; else the common path is one POST and one batched insert of the finished record.
 */
export type DeliverFirst = (event: TransactionStatusChanged, claimFirst: boolean) => Promise<Delivered>

export interface DeliverFirstOptions {
  readonly findEndpoint: FindEndpoint
  readonly deliveries: Deliveries
  readonly limits: InFlightLimits
  readonly steps: AttemptSteps
  readonly observer: DeliveryObserver
  readonly now: () => Date
}

export function makeDeliverFirst(options: DeliverFirstOptions): DeliverFirst {
  const { findEndpoint, deliveries, limits, steps, observer, now } = options

  return async (event, claimFirst) => {
    const known = await findEndpoint(event.data.merchant_id)
    const registration = registrationAt(known?.endpoint, new Date(event.data.order_created_at))
    const delivery = openDelivery(event, JSON.stringify(payloadOf(event)), registration?.url, now())
    if (!known || !isAddressed(delivery)) {
      if (await deliveries.insert(delivery)) observer.settled('no_endpoint')
      return 'done'
    }
    const giveBack = limits.take(delivery)
    if (!giveBack) return 'over_limit'
    try {
      await (claimFirst ? tryClaimed(delivery, known) : tryUnclaimed(delivery, known))
      return 'done'
    } finally {
      giveBack()
    }
  }

  async function tryUnclaimed(delivery: Delivery & { url: string }, known: KnownEndpoint): Promise<void> {
    const attempt = await steps.post(delivery, 1, known.signingKeys(now()))
    const decision = steps.decide(delivery, attempt)
    const finished = withAttempt(delivery, attempt, decision)
    if (await deliveries.insert(finished)) return steps.follow(finished, decision)
    // Another has this event too: the attempt counts only if the other one left without recording its own.
    if (await deliveries.claim(delivery.id, 1, steps.lease())) await steps.record(delivery, attempt, decision)
  }

  async function tryClaimed(delivery: Delivery & { url: string }, known: KnownEndpoint): Promise<void> {
    const lease = steps.lease()
    const claimed = (await deliveries.insert(delivery, lease.until)) ? delivery : await deliveries.claim(delivery.id, 1, lease)
    if (!claimed || !isAddressed(claimed)) return
    const attempt = await steps.post(claimed, 1, known.signingKeys(now()))
    await steps.record(claimed, attempt, steps.decide(claimed, attempt))
  }
}

/** Told apart by its URL: a delivery without one is dead from its beginning. */
export function isAddressed(delivery: Delivery): delivery is Delivery & { url: string } {
  return delivery.url !== null
}
