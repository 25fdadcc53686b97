import type { Metrics } from '@gateway/service-kit'
import { createAdmission } from '../admission/admission.ts'
import { createCircuitBreakers } from '../admission/circuit-breakers.ts'
import { createDelayQueue } from '../admission/delay-queue.ts'
import { createInFlightLimit } from '../admission/in-flight-limit.ts'
import { endpointMetrics } from '../endpoint-metrics.ts'
import { deliveryMetrics } from '../metrics.ts'
import { makeAttemptSteps } from '../use-cases/attempt.ts'
import { makeClaims } from '../use-cases/claims.ts'
import { makeDeliverFirst } from '../use-cases/deliver-first.ts'
import { makeDeliverRetry } from '../use-cases/deliver-retry.ts'
import { makeNoteHealth } from '../use-cases/note-health.ts'
import { makeSendTestEvent } from '../use-cases/send-test-event.ts'
import { makeIsSlow } from '../use-cases/slow-exchange.ts'
import { makeSweepOverdue } from '../use-cases/sweep-overdue.ts'
import type { Parts } from './parts.ts'

/** The in-flight limit, the circuit breakers and the delay queue (`admission/admission.ts` says how they work together). */
function composeAdmission(parts: Parts, metrics: Metrics) {
  const { config, deliveries, pendingAttempts, retries, log, now } = parts
  const nowMs = () => now().getTime()
  const random = Math.random
  const observer = endpointMetrics(metrics, () => breakers.notClosed)
  const limit = createInFlightLimit({ maxPerEndpoint: config.endpointConcurrency, slotsPerPriority: config.prefetch, nowMs })
  const breakers = createCircuitBreakers({ rules: config.breaker, onChange: observer.breakerChanged, log, nowMs, random })
  const delayQueue = createDelayQueue({
    levelsMs: config.parkDelaysMs,
    sweepOverdueMs: config.sweepOverdueMs,
    deliveries,
    pendingAttempts,
    retries,
    now,
    random,
  })
  const admission = createAdmission({ breakers, limit, onDenied: observer.denied, nowMs })
  return { limit, admission, delayQueue, onDisabled: observer.disabled }
}

const SLOW_AFTER_MS = 1000

/** The use cases that send webhooks. */
export function composeDelivering(parts: Parts, metrics: Metrics, canPublish: () => boolean) {
  const { config, endpoints, deliveries, lists, pendingAttempts, findEndpoint, send, retries, log, now } = parts
  const { limit, admission, delayQueue, onDisabled } = composeAdmission(parts, metrics)
  const observer = deliveryMetrics(metrics, () => limit.total)
  const claims = makeClaims({ deliveries, exchangeMs: config.timeoutMs, marginMs: config.claimMarginMs, log, now })
  const steps = makeAttemptSteps({ send, deliveries, retries, schedule: config.retryDelaysMs, observer, log, now })
  const noteHealth = makeNoteHealth({ endpoints, disableAfterMs: config.disableAfterMs, onDisabled, log, now })
  const isSlow = makeIsSlow({ slowAfterMs: SLOW_AFTER_MS, limit })
  const shared = { findEndpoint, deliveries, admission, delayQueue, claims, steps, isSlow, noteHealth, observer, now }
  return {
    deliverFirst: makeDeliverFirst(shared),
    deliverRetry: makeDeliverRetry({ ...shared, pendingAttempts }),
    sendTestEvent: makeSendTestEvent({ findEndpoint, limit, send, now }),
    sweepOverdue: makeSweepOverdue({ lists, retries, overdueMs: config.sweepOverdueMs, canPublish, log, now }),
  }
}
