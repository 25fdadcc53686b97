import type { Admission, Slot } from '../admission/admission.ts'
import type { DelayQueue, Handled } from '../admission/delay-queue.ts'
import type { MessageFacts } from '../admission/message-facts.ts'
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
import type { Claims, Lease } from './claims.ts'
import type { NoteHealth } from './note-health.ts'
import type { IsSlow } from './slow-exchange.ts'

export interface FirstMessage extends MessageFacts {
  /** True for an event marked as maybe published, and for a redelivered message: claim the record before the POST. */
  readonly isMaybePublished: boolean
}

/** Handles one status change of a payment or a refund. The common path is one POST and one batched insert of the finished record. */
export type DeliverFirst = (event: WebhookEvent, message: FirstMessage) => Promise<Handled>

export interface DeliverFirstOptions {
  readonly findEndpoint: FindEndpoint
  readonly deliveries: Deliveries
  readonly admission: Admission
  readonly delayQueue: Pick<DelayQueue, 'delayFirstAttempt'>
  readonly claims: Claims
  readonly steps: AttemptSteps
  readonly isSlow: IsSlow
  readonly noteHealth: NoteHealth
  readonly observer: DeliveryObserver
  readonly now: () => Date
}

/** A delivery, its endpoint, and the right to send it. */
interface Sending {
  readonly delivery: AddressedDelivery
  readonly known: KnownEndpoint
  readonly slot: Slot
  readonly acknowledge: () => void
}

export function makeDeliverFirst(options: DeliverFirstOptions): DeliverFirst {
  const { findEndpoint, deliveries, admission, delayQueue, claims, steps, isSlow, noteHealth, observer, now } = options

  return async (event, message) => {
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
    if (slot.kind === 'denied') return delayQueue.delayFirstAttempt(delivery, slot, message)
    const sendAndRecord = message.isMaybePublished ? claimThenSend : sendThenInsert
    return sendAndRecord({ delivery, known, slot, acknowledge: message.acknowledge }).finally(() => slot.release())
  }

  async function sendThenInsert({ delivery, known, slot, acknowledge }: Sending): Promise<'done'> {
    const posting = steps.post(delivery, 1, known.signingKeys(now())).then((attempt) => {
      // At once, also while the record of a slow exchange is being stored.
      slot.release(wasSent(attempt) ? attempt : undefined)
      return attempt
    })
    const lease = (await isSlow(posting, 'first_attempts')) ? await leaseOf(delivery) : undefined
    if (lease) acknowledge()
    const attempt = await posting
    const decision = steps.decide(delivery, attempt)
    const finished = withAttempt(delivery, attempt, decision)
    if (lease) await steps.record(delivery, attempt, decision, lease)
    else if (await deliveries.insert(finished)) await steps.follow(finished, decision)
    else await recordOver(delivery, attempt, decision)
    await noteHealth(known.endpoint, delivery.url, attempt)
    return 'done'
  }

  /** Stores a record with a claim while the exchange goes on, so that its message need not be kept. */
  async function leaseOf(delivery: Delivery): Promise<Lease | undefined> {
    try {
      const claimed = await claims.claim(async ({ until }) => ((await deliveries.insert(delivery, until)) ? delivery : undefined))
      return claimed?.lease
    } catch {
      // The database is away: the message stays.
      return undefined
    }
  }

  /**
   * Another consumer has inserted a record. Its result counts; a failure is recorded only if that consumer died before. So it is when
   * `leaseOf` got no answer for a record that was stored: then the sweep repeats the attempt.
   */
  async function recordOver(delivery: Delivery, attempt: Attempt, decision: AttemptDecision): Promise<void> {
    const lease = claims.lease()
    const claimed = await deliveries.claim(delivery.id, 1, lease)
    if (claimed !== undefined || isAcknowledged(attempt)) await steps.record(claimed ?? delivery, attempt, decision, lease)
  }

  async function claimThenSend({ delivery, known, slot, acknowledge }: Sending): Promise<'done'> {
    const held = await claims.claim(async (lease) =>
      (await deliveries.insert(delivery, lease.until)) ? delivery : deliveries.claim(delivery.id, 1, lease),
    )
    if (!held || !isAddressed(held.delivery)) return 'done'
    const claimed = held.delivery
    const posting = steps.post(claimed, 1, known.signingKeys(now()))
    if (await isSlow(posting, 'first_attempts')) acknowledge()
    const attempt = await posting
    // A resend may have changed the URL since the record was made; then the result says nothing about this endpoint.
    slot.release(claimed.url === delivery.url && wasSent(attempt) ? attempt : undefined)
    await steps.record(claimed, attempt, steps.decide(claimed, attempt), held.lease)
    await noteHealth(known.endpoint, claimed.url, attempt)
    return 'done'
  }
}
