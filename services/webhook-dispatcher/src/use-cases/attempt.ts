import type { SigningKey } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { decide, type Attempt, type AttemptDecision, type Delivery } from '../domain/delivery.ts'
import type { RetrySchedule } from '../domain/retry-schedule.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import { signedHeaders } from '../sending/signed-headers.ts'
import type { SendWebhook } from '../sending/webhook-client.ts'

/** What happens to deliveries, for metrics. */
export interface DeliveryObserver {
  attempted(attempt: Attempt): void
  /** @param afterMs since the status changed */
  acknowledged(afterMs: number): void
  settled(kind: AttemptDecision['kind'] | 'no_endpoint' | 'endpoint_disabled'): void
}

/** Publishes what makes a delivery's next attempt happen; each resolves when the broker has stored it. */
export interface WakeUps {
  after(delivery: Delivery, delayMs: number): Promise<void>
  now(delivery: Delivery): Promise<void>
  /** The same attempt as is due, after a wait for its endpoint of one of the park levels. */
  aside(delivery: Delivery, delayMs: number): Promise<void>
}

export interface AttemptSteps {
  /** From now until the attempt must have been recorded; after that the sweep gives it to another. */
  lease(): { now: Date; until: Date }
  post(delivery: Delivery & { url: string }, number: number, keys: readonly SigningKey[]): Promise<Attempt>
  decide(delivery: Delivery, attempt: Attempt): AttemptDecision
  /** Records over a claim, then publishes what follows. */
  record(delivery: Delivery, attempt: Attempt, decision: AttemptDecision): Promise<void>
  /** After the record: the retry's wake-up, confirmed; metrics; the alert of a dead delivery. */
  follow(delivery: Delivery, decision: AttemptDecision): Promise<void>
}

export interface AttemptOptions {
  readonly send: SendWebhook
  readonly deliveries: Pick<Deliveries, 'record'>
  readonly wakeUps: WakeUps
  readonly schedule: RetrySchedule
  /** How long a claim holds: the longest exchange, and the time that recording may take. */
  readonly leaseMs: number
  readonly observer: DeliveryObserver
  readonly log: Log
  readonly now: () => Date
}

/** The steps that first attempts and retries share, in the order POST → record → publish the retry (design, section 6). */
export function makeAttemptSteps({
  send,
  deliveries,
  wakeUps,
  schedule,
  leaseMs,
  observer,
  log,
  now,
}: AttemptOptions): AttemptSteps {
  const steps: AttemptSteps = {
    lease() {
      const from = now()
      return { now: from, until: new Date(from.getTime() + leaseMs) }
    },

    async post({ id, url, body, sequence }, number, keys) {
      const headers = signedHeaders({ webhookId: id, attempt: number, sequence, body, keys, at: now() })
      const attempt = { ...(await send({ url, headers, body })), number }
      observer.attempted(attempt)
      const { statusCode: status_code, error, durationMs: duration_ms, retryAfterMs: retry_after_ms } = attempt
      log.info('webhook attempt', { delivery: id, attempt: number, status_code, error, duration_ms, retry_after_ms })
      return attempt
    },

    decide: (delivery, attempt) => decide(attempt, delivery.roundStart, schedule, now()),

    async record(delivery, attempt, decision) {
      const recorded = await deliveries.record(delivery.id, attempt, decision, now())
      const after = { ...delivery, attemptCount: attempt.number }
      if (recorded === 'recorded') await steps.follow(after, decision)
      else if (recorded === 'lost')
        log.warn('an attempt was recorded by another', { delivery: delivery.id, attempt: attempt.number })
      // A wake-up says where it goes: what holds the old URL back, a breaker or that it is disabled, is no matter of the new one.
      else await wakeUps.now({ ...after, url: recorded.resendTo })
    },

    async follow(delivery, decision) {
      observer.settled(decision.kind)
      if (decision.kind === 'delivered') observer.acknowledged(now().getTime() - delivery.occurredAt.getTime())
      if (decision.kind === 'dead') log.warn('delivery is dead', { delivery: delivery.id, reason: decision.state.reason })
      if (decision.kind === 'retry') await wakeUps.after(delivery, decision.delayMs)
    },
  }
  return steps
}
