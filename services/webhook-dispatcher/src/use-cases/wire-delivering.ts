import type { DispatcherConfig } from '../config.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import type { WaitingDeliveries } from '../persistence/waiting-deliveries.ts'
import type { SendWebhook } from '../sending/webhook-client.ts'
import type { Log } from '@gateway/service-kit'
import { createAdmission, type EndpointObserver } from './admission.ts'
import { makeAttemptSteps, type DeliveryObserver, type WakeUps } from './attempt.ts'
import { makeDeliverFirst } from './deliver-first.ts'
import { makeDeliverRetry } from './deliver-retry.ts'
import type { FindEndpoint } from './endpoint-directory.ts'
import { createInFlightLimits } from './in-flight-limits.ts'
import { makeNoteHealth } from './note-health.ts'
import { makeSendTestEvent } from './send-test-event.ts'
import { makeWaitAside } from './wait-aside.ts'

export interface DeliveringParts {
  readonly config: DispatcherConfig
  readonly endpoints: Endpoints
  readonly deliveries: Deliveries
  readonly waiting: WaitingDeliveries
  readonly findEndpoint: FindEndpoint
  readonly send: SendWebhook
  readonly wakeUps: WakeUps
  readonly observerOf: (inFlight: () => number) => DeliveryObserver
  readonly endpointObserverOf: (leftAlone: () => number) => EndpointObserver
  readonly log: Log
  readonly now: () => Date
  readonly random: () => number
}

/** What sends webhooks: who may be tried now, the attempts, and what becomes of the endpoint. */
export function wireDelivering(parts: DeliveringParts) {
  const { config, endpoints, deliveries, waiting, findEndpoint, send, wakeUps, log, now, random } = parts
  const {
    endpointConcurrency,
    prefetch,
    parkDelaysMs: levelsMs,
    breaker: rules,
    retryDelaysMs: schedule,
    disableAfterMs,
  } = config
  const nowMs = () => now().getTime()
  const limits = createInFlightLimits({ maxPerEndpoint: endpointConcurrency, laneSize: prefetch, nowMs })
  const observer = parts.observerOf(() => limits.total)
  const endpointObserver = parts.endpointObserverOf(() => admission.leftAlone)
  const admission = createAdmission({ limits, rules, observer: endpointObserver, log, nowMs, random })
  const waitAside = makeWaitAside({ levelsMs, deliveries, waiting, wakeUps, now, random })
  const leaseMs = config.timeoutMs + config.claimMarginMs
  const steps = makeAttemptSteps({ send, deliveries, wakeUps, schedule, leaseMs, observer, log, now })
  const noteHealth = makeNoteHealth({ endpoints, disableAfterMs, observer: endpointObserver, log, now })
  const shared = { findEndpoint, deliveries, admission, waitAside, steps, noteHealth, observer, now }
  return {
    deliverFirst: makeDeliverFirst(shared),
    deliverRetry: makeDeliverRetry({ ...shared, waiting }),
    sendTestEvent: makeSendTestEvent({ findEndpoint, limits, send, now }),
  }
}
