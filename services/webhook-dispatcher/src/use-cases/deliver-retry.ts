import type { Admission, Slot } from '../admission/admission.ts'
import type { DelayQueue, Handled } from '../admission/delay-queue.ts'
import type { EndpointKey } from '../admission/endpoint-key.ts'
import type { RetryMessageFacts } from '../admission/message-facts.ts'
import { isAddressed, notSent, wasSent } from '../domain/delivery.ts'
import { disabledOf } from '../domain/endpoint-health.ts'
import type { FindEndpoint, KnownEndpoint } from '../endpoint-directory/find-endpoint.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { PendingAttempt, PendingAttempts } from '../persistence/pending-attempts.ts'
import type { AttemptSteps, DeliveryObserver } from './attempt.ts'
import type { Claims } from './claims.ts'
import type { NoteHealth } from './note-health.ts'
import type { IsSlow } from './slow-exchange.ts'

/** The attempt that a retry message asks for. The record decides whether it is made. */
export interface Retry extends EndpointKey, PendingAttempt {}

export type DeliverRetry = (retry: Retry, message: RetryMessageFacts) => Promise<Handled>

export interface DeliverRetryOptions {
  readonly findEndpoint: FindEndpoint
  readonly deliveries: Pick<Deliveries, 'claim'>
  readonly pendingAttempts: Pick<PendingAttempts, 'markDead'>
  readonly admission: Admission
  readonly delayQueue: Pick<DelayQueue, 'delayRetry'>
  readonly claims: Claims
  readonly steps: AttemptSteps
  readonly isSlow: IsSlow
  readonly noteHealth: NoteHealth
  readonly observer: DeliveryObserver
  readonly now: () => Date
}

interface Sending {
  readonly known: KnownEndpoint
  readonly slot: Slot
  readonly acknowledge: () => void
}

/** Makes one more attempt, if the record still wants it and no other replica makes it: claim → POST → record → publish. */
export function makeDeliverRetry(options: DeliverRetryOptions): DeliverRetry {
  const { findEndpoint, deliveries, pendingAttempts, admission, delayQueue, claims, steps, isSlow, noteHealth, observer, now } =
    options

  return async (retry, message) => {
    // Before a slot is taken: the database may be away.
    const known = await findEndpoint(retry.endpointId)
    // Only when the database was restored to a time before this merchant registered: the delivery is gone too.
    if (!known) return 'done'
    if (disabledOf(known.endpoint.health, retry.url)) {
      const why = { note: notSent('endpoint_disabled', now()), reason: 'endpoint_disabled' } as const
      if (await pendingAttempts.markDead(retry, why, now())) observer.settled('endpoint_disabled')
      return 'done'
    }
    const slot = admission.acquire(retry, 'retries')
    if (slot.kind === 'denied') return delayQueue.delayRetry(retry, slot, message)
    try {
      await claimThenSend(retry, { known, slot, acknowledge: message.acknowledge })
      return 'done'
    } finally {
      slot.release()
    }
  }

  async function claimThenSend(retry: Retry, { known, slot, acknowledge }: Sending): Promise<void> {
    const held = await claims.claim((lease) => deliveries.claim(retry.deliveryId, retry.attempt, lease))
    if (!held || !isAddressed(held.delivery)) return
    const { delivery } = held
    const posting = steps.post(delivery, retry.attempt, known.signingKeys(now()))
    if (await isSlow(posting, 'retries')) acknowledge()
    const attempt = await posting
    // A resend may have changed the URL since the message was published; then the result says nothing about this endpoint.
    slot.release(delivery.url === retry.url && wasSent(attempt) ? attempt : undefined)
    await steps.record(delivery, attempt, steps.decide(delivery, attempt), held.lease)
    await noteHealth(known.endpoint, delivery.url, attempt)
  }
}
