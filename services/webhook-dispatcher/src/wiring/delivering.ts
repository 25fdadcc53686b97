import type { Metrics } from '@gateway/service-kit'
import {
  createExchanges,
  createParking,
  makeClaims,
  makeDeliverFirst,
  makeDeliverRetry,
  makeIsSlow,
  makeSendTestEvent,
  makeSweepOverdue,
} from '../delivering/index.ts'
import { makeNoteHealth } from '../endpoints/index.ts'
import { createCircuitBreakers, createInFlightLimit, createThrottle } from '../throttling/index.ts'
import { dispatcherMetrics } from './metrics.ts'
import type { Parts } from './parts.ts'

const SLOW_AFTER_MS = 1000

/** The use cases that send webhooks. */
export function composeDelivering(parts: Parts, metrics: Metrics, canPublish: () => boolean) {
  const { config, now, log } = parts
  const { timeoutMs: exchangeMs, claimMarginMs: marginMs, retryDelaysMs: schedule, sweepOverdueMs } = config
  const [nowMs, random] = [() => now().getTime(), Math.random]
  const measured = dispatcherMetrics(metrics, { inFlight: () => limit.total, notClosed: () => breakers.notClosed })
  const { observer, breakerChanged: onChange, denied: onDenied, disabled: onDisabled } = measured
  const limit = createInFlightLimit({ maxPerEndpoint: config.endpointConcurrency, slotsPerPriority: config.prefetch, nowMs })
  const breakers = createCircuitBreakers({ rules: config.breaker, onChange, log, nowMs, random })
  const claims = makeClaims({ ...parts, exchangeMs, marginMs })
  const noteHealth = makeNoteHealth({ ...parts, disableAfterMs: config.disableAfterMs, onDisabled })
  const isSlow = makeIsSlow({ slowAfterMs: SLOW_AFTER_MS, limit })
  const delivering = {
    ...parts,
    observer,
    throttle: createThrottle({ breakers, limit, onDenied, nowMs }),
    parking: createParking({ ...parts, levelsMs: config.parkDelaysMs, sweepOverdueMs, random }),
    exchanges: createExchanges({ ...parts, claims, schedule, isSlow, noteHealth, observer }),
  }
  return {
    deliverFirst: makeDeliverFirst(delivering),
    deliverRetry: makeDeliverRetry(delivering),
    sendTestEvent: makeSendTestEvent({ ...parts, limit }),
    sweepOverdue: makeSweepOverdue({ ...parts, overdueMs: sweepOverdueMs, canPublish }),
  }
}
