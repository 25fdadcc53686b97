import type { Admission, Slot } from '../admission/admission.ts'
import type { DelayQueue, Handled } from '../admission/delay-queue.ts'
import {
  isAcknowledged,
  isAddressed,
  openDelivery,
  wasSent,
  withAttempt,
  withEndpointDisabled,
  type AddressedDelivery,
  type Attempt,
  type AttemptDecision,
  type Delivery,
} from '../domain/delivery.ts'
import { registrationAt } from '../domain/endpoint.ts'
import { disabledOf } from '../domain/endpoint-health.ts'
import { endpointIdOf } from '../domain/channel.ts'
import { factsOf, type WebhookEvent } from '../domain/webhook-event.ts'
import type { FindEndpoint, KnownEndpoint } from '../endpoint-directory/find-endpoint.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { AttemptSteps, DeliveryObserver } from './attempt.ts'
import type { Claims } from './claims.ts'
import type { NoteHealth } from './note-health.ts'

export interface MessageFacts {
  /** True for an event marked as maybe published, and for a redelivered message: claim the record before the POST. */
  readonly isMaybePublished: boolean
  /** How often the message was delayed. */
  readonly timesDelayed: number
}

/** Handles one status change of a payment or a refund. The common path is one POST and one batched insert of the finished record. */
export type DeliverFirst = (event: WebhookEvent, facts: MessageFacts) => Promise<Handled>

export interface DeliverFirstOptions {
  readonly findEndpoint: FindEndpoint
  readonly deliveries: Deliveries
  readonly admission: Admission
  readonly delayQueue: Pick<DelayQueue, 'delayFirstAttempt'>
  readonly claims: Claims
  readonly steps: AttemptSteps
  readonly noteHealth: NoteHealth
  readonly observer: DeliveryObserver
  readonly now: () => Date
}

/** A delivery, its endpoint, and the right to send it. */
interface Sending {
  readonly delivery: AddressedDelivery
  readonly known: KnownEndpoint
  readonly slot: Slot
}

export function makeDeliverFirst(options: DeliverFirstOptions): DeliverFirst {
  const { findEndpoint, deliveries, admission, delayQueue, claims, steps, noteHealth, observer, now } = options

  return async (event, { isMaybePublished, timesDelayed }) => {
    const facts = factsOf(event)
    const endpointId = endpointIdOf(facts)
    const known = await findEndpoint(endpointId)
    const registration = registrationAt(known?.endpoint, facts.boundAt)
    // Merchants opt in to webhooks of refunds: without an endpoint none is owed.
    if (!registration && facts.channel === 'refund') return 'done'
    const delivery = openDelivery(event, facts.body, registration?.url, now())
    if (!known || !isAddressed(delivery)) {
      if (await deliveries.insert(delivery)) observer.settled('no_endpoint')
      return 'done'
    }
    if (disabledOf(known.endpoint.health, delivery.url)) {
      if (await deliveries.insert(withEndpointDisabled(delivery, now()))) observer.settled('endpoint_disabled')
      return 'done'
    }
    const slot = await admission.acquireSoon({ endpointId, url: delivery.url }, 'first_attempts')
    if (slot.kind === 'denied') return delayQueue.delayFirstAttempt(delivery, slot, timesDelayed)
    const sendAndRecord = isMaybePublished ? claimThenSend : sendThenInsert
    return sendAndRecord({ delivery, known, slot }).finally(() => slot.release())
  }

  async function sendThenInsert({ delivery, known, slot }: Sending): Promise<'done'> {
    const attempt = await steps.post(delivery, 1, known.signingKeys(now()))
    slot.release(wasSent(attempt) ? attempt : undefined)
    const decision = steps.decide(delivery, attempt)
    const finished = withAttempt(delivery, attempt, decision)
    if (await deliveries.insert(finished)) await steps.follow(finished, decision)
    else await recordOver(delivery, attempt, decision)
    await noteHealth(known.endpoint, delivery.url, attempt)
    return 'done'
  }

  /** Another consumer has inserted a record. Its result counts; a failure is recorded only if that consumer died before. */
  async function recordOver(delivery: Delivery, attempt: Attempt, decision: AttemptDecision): Promise<void> {
    const lease = claims.lease()
    const claimed = await deliveries.claim(delivery.id, 1, lease)
    if (claimed !== undefined || isAcknowledged(attempt)) await steps.record(claimed ?? delivery, attempt, decision, lease)
  }

  async function claimThenSend({ delivery, known, slot }: Sending): Promise<'done'> {
    const held = await claims.claim(async (lease) =>
      (await deliveries.insert(delivery, lease.until)) ? delivery : deliveries.claim(delivery.id, 1, lease),
    )
    if (!held || !isAddressed(held.delivery)) return 'done'
    const claimed = held.delivery
    const attempt = await steps.post(claimed, 1, known.signingKeys(now()))
    // A resend may have changed the URL since the record was made; then the result says nothing about this endpoint.
    slot.release(claimed.url === delivery.url && wasSent(attempt) ? attempt : undefined)
    await steps.record(claimed, attempt, steps.decide(claimed, attempt), held.lease)
    await noteHealth(known.endpoint, claimed.url, attempt)
    return 'done'
  }
}
