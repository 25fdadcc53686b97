import type { TransactionStatusChanged } from '@gateway/contracts'
import { openDelivery, withAttempt, withEndpointDisabled, type Delivery } from '../domain/delivery.ts'
import { registrationAt } from '../domain/endpoint.ts'
import { disabledOf } from '../domain/endpoint-health.ts'
import { payloadOf } from '../domain/payload.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { Admission, Place } from './admission.ts'
import type { AttemptSteps, DeliveryObserver } from './attempt.ts'
import type { FindEndpoint, KnownEndpoint } from './endpoint-directory.ts'
import type { NoteHealth } from './note-health.ts'
import type { Delivered, WaitAside } from './wait-aside.ts'

export interface MessageFacts {
  /** The message may have been handled before (it is redelivered): the record is claimed before the POST. */
  readonly maybePublished: boolean
  /** How often the message was put aside. */
  readonly parked: number
}

/** Handles one status change. The common path is one POST and one batched insert of the finished record. */
export type DeliverFirst = (event: TransactionStatusChanged, facts: MessageFacts) => Promise<Delivered>

export interface DeliverFirstOptions {
  readonly findEndpoint: FindEndpoint
  readonly deliveries: Deliveries
  readonly admission: Admission
  readonly waitAside: Pick<WaitAside, 'firstAttempt'>
  readonly steps: AttemptSteps
  readonly noteHealth: NoteHealth
  readonly observer: DeliveryObserver
  readonly now: () => Date
}

/** A delivery, where it goes, and the right to send it. */
interface Sending {
  readonly delivery: Delivery & { url: string }
  readonly known: KnownEndpoint
  readonly place: Place
}

export function makeDeliverFirst(options: DeliverFirstOptions): DeliverFirst {
  const { findEndpoint, deliveries, admission, waitAside, steps, noteHealth, observer, now } = options

  return async (event, { maybePublished, parked }) => {
    const known = await findEndpoint(event.data.merchant_id)
    const registration = registrationAt(known?.endpoint, new Date(event.data.order_created_at))
    const delivery = openDelivery(event, JSON.stringify(payloadOf(event)), registration?.url, now())
    if (!known || !isAddressed(delivery)) {
      if (await deliveries.insert(delivery)) observer.settled('no_endpoint')
      return 'done'
    }
    if (disabledOf(known.endpoint.health, delivery.url)) {
      if (await deliveries.insert(withEndpointDisabled(delivery, now()))) observer.settled('endpoint_disabled')
      return 'done'
    }
    const place = await admission.askPatiently(delivery, 'first_attempts')
    if (place.kind === 'wait') return waitAside.firstAttempt(delivery, place, parked)
    try {
      await (maybePublished ? tryClaimed : tryUnclaimed)({ delivery, known, place })
      return 'done'
    } finally {
      place.end()
    }
  }

  async function tryUnclaimed({ delivery, known, place }: Sending): Promise<void> {
    const attempt = await steps.post(delivery, 1, known.signingKeys(now()))
    place.end(attempt)
    const decision = steps.decide(delivery, attempt)
    const finished = withAttempt(delivery, attempt, decision)
    if (await deliveries.insert(finished)) await steps.follow(finished, decision)
    else {
      // Another has this event too: the attempt counts only if the other one left without recording its own.
      const claimed = await deliveries.claim(delivery.id, 1, steps.lease())
      if (claimed) await steps.record(claimed, attempt, decision)
    }
    await noteHealth(known.endpoint, delivery.url, attempt)
  }

  async function tryClaimed({ delivery, known, place }: Sending): Promise<void> {
    const lease = steps.lease()
    const claimed = (await deliveries.insert(delivery, lease.until)) ? delivery : await deliveries.claim(delivery.id, 1, lease)
    if (!claimed || !isAddressed(claimed)) return
    const attempt = await steps.post(claimed, 1, known.signingKeys(now()))
    // A resend may have sent it elsewhere since its record was made.
    place.end(claimed.url === delivery.url ? attempt : undefined)
    await steps.record(claimed, attempt, steps.decide(claimed, attempt))
    await noteHealth(known.endpoint, claimed.url, attempt)
  }
}

/** Told apart by its URL: a delivery without one is dead from its beginning. */
export function isAddressed(delivery: Delivery): delivery is Delivery & { url: string } {
  return delivery.url !== null
}
