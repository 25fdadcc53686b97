import { notSent } from '../domain/delivery.ts'
import { disabledOf } from '../domain/endpoint-health.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { WaitingAttempt, WaitingDeliveries } from '../persistence/waiting-deliveries.ts'
import type { Admission, Place } from './admission.ts'
import type { AttemptSteps, DeliveryObserver } from './attempt.ts'
import { isAddressed } from './deliver-first.ts'
import type { FindEndpoint, KnownEndpoint } from './endpoint-directory.ts'
import type { EndpointKey } from './in-flight-limits.ts'
import type { NoteHealth } from './note-health.ts'
import type { Delivered, WaitAside } from './wait-aside.ts'

/** A wake-up: the record decides whether there is anything to do. */
export interface WakeUp extends EndpointKey, WaitingAttempt {}

/** @param parked how often the message was put aside */
export type DeliverRetry = (wakeUp: WakeUp, parked: number) => Promise<Delivered>

export interface DeliverRetryOptions {
  readonly findEndpoint: FindEndpoint
  readonly deliveries: Pick<Deliveries, 'claim'>
  readonly waiting: Pick<WaitingDeliveries, 'bury'>
  readonly admission: Admission
  readonly waitAside: Pick<WaitAside, 'retry'>
  readonly steps: AttemptSteps
  readonly noteHealth: NoteHealth
  readonly observer: DeliveryObserver
  readonly now: () => Date
}

/** Makes one more attempt, if the record still wants it and nobody else makes it: claim → POST → record → publish. */
export function makeDeliverRetry(options: DeliverRetryOptions): DeliverRetry {
  const { findEndpoint, deliveries, waiting, admission, waitAside, steps, noteHealth, observer, now } = options

  return async (wakeUp, parked) => {
    // Before anything is held: the database may be away.
    const known = await findEndpoint(wakeUp.merchantId)
    // A delivery was opened, so its merchant has an endpoint; unless both are of a history that a restored database does not know.
    if (!known) return 'done'
    if (disabledOf(known.endpoint.health, wakeUp.url)) {
      const why = { note: notSent('endpoint_disabled', now()), reason: 'endpoint_disabled' } as const
      if (await waiting.bury(wakeUp, why, now())) observer.settled('endpoint_disabled')
      return 'done'
    }
    const place = admission.ask(wakeUp, 'retries')
    if (place.kind === 'wait') return waitAside.retry(wakeUp, place, parked)
    try {
      await tryOnce(wakeUp, known, place)
      return 'done'
    } finally {
      place.end()
    }
  }

  async function tryOnce(wakeUp: WakeUp, known: KnownEndpoint, place: Place): Promise<void> {
    const delivery = await deliveries.claim(wakeUp.deliveryId, wakeUp.attempt, steps.lease())
    if (!delivery || !isAddressed(delivery)) return
    const attempt = await steps.post(delivery, wakeUp.attempt, known.signingKeys(now()))
    // A resend may have sent it elsewhere since the wake-up was published.
    place.end(delivery.url === wakeUp.url ? attempt : undefined)
    await steps.record(delivery, attempt, steps.decide(delivery, attempt))
    await noteHealth(known.endpoint, delivery.url, attempt)
  }
}
