import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, Sealer } from '@gateway/service-kit'
import type { DispatcherConfig } from '../config.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { DeliveryLists } from '../persistence/delivery-lists.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import type { CheckEndpointUrl } from '../sending/endpoint-check.ts'
import type { SendWebhook } from '../sending/webhook-client.ts'
import { makeAttemptSteps, type DeliveryObserver, type WakeUps } from './attempt.ts'
import { makeDeliverFirst } from './deliver-first.ts'
import { makeDeliverRetry } from './deliver-retry.ts'
import { makeFindEndpoint } from './endpoint-directory.ts'
import { createInFlightLimits } from './in-flight-limits.ts'
import { makeInspectDelivery } from './inspect-delivery.ts'
import { makeListDeliveries } from './list-deliveries.ts'
import { makeReadEndpoint } from './read-endpoint.ts'
import { makeRegisterEndpoint } from './register-endpoint.ts'
import { makeReplayDead } from './replay-dead.ts'
import { makeResend } from './resend.ts'
import { makeRotateSecret } from './rotate-secret.ts'
import { makeSendTestEvent } from './send-test-event.ts'
import { makeSweepOverdue } from './sweep-overdue.ts'

export interface UseCaseParts {
  readonly config: DispatcherConfig
  readonly endpoints: Endpoints
  readonly deliveries: Deliveries
  readonly lists: DeliveryLists
  readonly sealer: Sealer
  readonly send: SendWebhook
  readonly refusalOf: CheckEndpointUrl
  readonly wakeUps: WakeUps
  readonly canPublish: () => boolean
  readonly observerOf: (inFlight: () => number) => DeliveryObserver
  readonly log: Log
  readonly now: () => Date
}

export type UseCases = ReturnType<typeof wireUseCases>

/** Everything that the service does, wired by hand. */
export function wireUseCases(parts: UseCaseParts) {
  const { config, endpoints, deliveries, lists, sealer, send, refusalOf, wakeUps, canPublish, log, now } = parts
  const limits = createInFlightLimits(config.endpointConcurrency)
  const metrics = parts.observerOf(() => limits.total)
  const observer: DeliveryObserver = {
    ...metrics,
    attempted(attempt, endpoint) {
      metrics.attempted(attempt, endpoint)
      limits.note(endpoint, attempt.error === 'timeout')
    },
  }
  const findEndpoint = makeFindEndpoint({ endpoints, sealer })
  const { retryDelaysMs: schedule, timeoutMs, claimMarginMs } = config
  const leaseMs = timeoutMs + claimMarginMs
  const steps = makeAttemptSteps({ send, deliveries, wakeUps, schedule, leaseMs, observer, log, now })
  const resend = makeResend({ deliveries, findEndpoint, wakeUps, log, now })
  const waitUntil = async (instantMs: number): Promise<void> => {
    await sleep(Math.max(0, instantMs - now().getTime()))
  }
  return {
    deliverFirst: makeDeliverFirst({ findEndpoint, deliveries, limits, steps, observer, now }),
    deliverRetry: makeDeliverRetry({ findEndpoint, deliveries, limits, steps, now }),
    sweepOverdue: makeSweepOverdue({ lists, wakeUps, overdueMs: config.sweepOverdueMs, canPublish, log, now }),
    registerEndpoint: makeRegisterEndpoint({ endpoints, sealer, refusalOf, randomBytes, now, waitUntil }),
    readEndpoint: makeReadEndpoint({ endpoints, now }),
    rotateSecret: makeRotateSecret({ endpoints, sealer, randomBytes, now, waitUntil }),
    sendTestEvent: makeSendTestEvent({ findEndpoint, limits, send, now }),
    listDeliveries: makeListDeliveries(lists),
    inspectDelivery: makeInspectDelivery(deliveries),
    resend,
    replayDead: makeReplayDead({ lists, resend }),
  }
}
