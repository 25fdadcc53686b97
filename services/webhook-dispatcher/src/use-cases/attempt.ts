import type { SigningKey } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { signedHeaders } from '../clients/webhook/signed-headers.ts'
import type { SendWebhook } from '../clients/webhook/webhook-client.ts'
import {
  decide,
  notSigned,
  wasSent,
  type AddressedDelivery,
  type Attempt,
  type AttemptDecision,
  type AttemptResult,
  type Delivery,
} from '../domain/delivery.ts'
import type { RetrySchedule } from '../domain/retry-schedule.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { RetryPublisher } from '../publishing/retry-publisher.ts'
import type { Lease } from './claims.ts'

/** Counts attempts and outcomes, for metrics. */
export interface DeliveryObserver {
  attempted(attempt: Attempt): void
  /** @param afterMs time since the status changed */
  acknowledged(afterMs: number): void
  settled(kind: AttemptDecision['kind'] | 'no_endpoint' | 'endpoint_disabled'): void
}

export interface AttemptSteps {
  /** Without keys nothing is sent, and the attempt fails with `not_signed`. */
  post(delivery: AddressedDelivery, number: number, keys: readonly SigningKey[]): Promise<Attempt>
  decide(delivery: Delivery, attempt: Attempt): AttemptDecision
  /** Records the attempt over its claim, then calls `follow`. */
  record(delivery: Delivery, attempt: Attempt, decision: AttemptDecision, lease: Lease): Promise<void>
  /** After the record: publishes the retry and waits for its confirm; counts; raises the alert of a dead delivery. */
  follow(delivery: Delivery, decision: AttemptDecision): Promise<void>
}

export interface AttemptOptions {
  readonly send: SendWebhook
  readonly deliveries: Pick<Deliveries, 'record'>
  readonly retries: RetryPublisher
  readonly schedule: RetrySchedule
  readonly observer: DeliveryObserver
  readonly log: Log
  readonly now: () => Date
}

/** The steps that first attempts and retries share, in the order POST → record → publish the retry (design, section 6). */
export function makeAttemptSteps(options: AttemptOptions): AttemptSteps {
  const { send, deliveries, retries, schedule, observer, log, now } = options

  function sendSigned(
    { id, url, body, sequence }: AddressedDelivery,
    number: number,
    keys: readonly SigningKey[],
  ): Promise<AttemptResult> {
    if (keys.length === 0) return Promise.resolve(notSigned(now()))
    const headers = signedHeaders({ webhookId: id, attempt: number, sequence, body, keys, at: now() })
    return send({ url, headers, body })
  }

  const steps: AttemptSteps = {
    async post(delivery, number, keys) {
      const { id, merchantId: merchant } = delivery
      const attempt = { ...(await sendSigned(delivery, number, keys)), number }
      observer.attempted(attempt)
      if (!wasSent(attempt)) log.error('signing secret cannot be opened', { merchant, delivery: id })
      const { statusCode: status_code, error, durationMs: duration_ms, retryAfterMs: retry_after_ms } = attempt
      log.info('webhook attempt', { delivery: id, attempt: number, status_code, error, duration_ms, retry_after_ms })
      return attempt
    },

    decide: (delivery, attempt) => decide(attempt, delivery.roundStart, schedule, now()),

    async record(delivery, attempt, decision, { until }) {
      const recorded = await deliveries.record(delivery.id, attempt, decision, { now: now(), claimedUntil: until })
      const after = { ...delivery, attemptCount: attempt.number }
      if (recorded === 'recorded') await steps.follow(after, decision)
      else if (recorded === 'lost') {
        log.warn('attempt recorded or claimed by another replica', { delivery: delivery.id, attempt: attempt.number })
      } else {
        // The message must name the new URL: its consumer looks at the breaker and the health of the URL in the message.
        await retries.publishNow({ ...after, url: recorded.resendTo })
      }
    },

    follow(delivery, decision) {
      observer.settled(decision.kind)
      if (decision.kind === 'delivered') observer.acknowledged(now().getTime() - delivery.occurredAt.getTime())
      if (decision.kind === 'dead') log.warn('delivery dead', { delivery: delivery.id, reason: decision.state.reason })
      return decision.kind === 'retry' ? retries.publishAfter(delivery, decision.delayMs) : Promise.resolve()
    },
  }
  return steps
}
