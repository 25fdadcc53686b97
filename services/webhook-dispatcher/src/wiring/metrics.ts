import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'
import type { DeliveryObserver } from '../delivering/index.ts'
import type { DisabledReason } from '../endpoints/index.ts'
import { isAcknowledged } from '../sending/index.ts'
import type { Breaker, Denied } from '../throttling/index.ts'

/** Counts attempts and outcomes of deliveries; a dead delivery raises an alert. */
export function deliveryMetrics(metrics: Metrics, inFlight: () => number): DeliveryObserver {
  const registers = [metrics.registry]
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'POSTs to merchants, by result: acknowledged, status (any other than 200), or an error',
    labelNames: ['result'],
    registers,
  })
  const durations = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of one exchange with a merchant, from name lookup to the end of the body',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Outcomes of attempts: delivered, retry, dead, no_endpoint, or endpoint_disabled',
    labelNames: ['outcome'],
    registers,
  })
  // From 0 on: Prometheus sees no increase in a counter that starts with its first event.
  deliveries.inc({ outcome: 'dead' }, 0)
  const latencies = new Histogram({
    name: 'webhook_acknowledgement_latency_seconds',
    help: 'From the status change to the recorded acknowledgement of the merchant, including retries and parking',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 43_200],
    registers,
  })
  new Gauge({
    name: 'webhook_in_flight',
    help: 'POSTs in flight',
    registers,
    collect() {
      this.set(inFlight())
    },
  })
  return {
    attempted(attempt) {
      const result = isAcknowledged(attempt) ? 'acknowledged' : (attempt.error ?? 'status')
      attempts.inc({ result })
      durations.observe(attempt.durationMs / 1000)
    },
    acknowledged: (afterMs) => latencies.observe(afterMs / 1000),
    settled(kind) {
      deliveries.inc({ outcome: kind })
      if (kind === 'dead') metrics.alerts.inc({ kind: 'webhook_dead' })
    },
  }
}

/** Counts what happens to endpoints; a disabled one raises an alert. */
export interface EndpointObserver {
  readonly breakerChanged: (to: Breaker['status']) => void
  readonly denied: (reason: Denied['reason']) => void
  readonly disabled: (reason: DisabledReason) => void
}

/** Label values that dashboards and alerts use. */
const DENIED_LABEL = { breaker_open: 'breaker', at_limit: 'limit' } as const satisfies Record<Denied['reason'], string>

/** @param notClosed breakers that are open or half-open */
export function endpointMetrics(metrics: Metrics, notClosed: () => number): EndpointObserver {
  const registers = [metrics.registry]
  const changes = new Counter({
    name: 'webhook_breaker_changes_total',
    help: 'Changes of endpoint circuit breakers in this replica, by new state',
    labelNames: ['to'],
    registers,
  })
  const parked = new Counter({
    name: 'webhook_parked_total',
    help: 'Attempts parked without being made, by reason: breaker (open), or limit (of requests in flight)',
    labelNames: ['because'],
    registers,
  })
  const disabled = new Counter({
    name: 'webhook_endpoints_disabled_total',
    help: 'Endpoints disabled, by reason: gone (410) or failing for too long',
    labelNames: ['reason'],
    registers,
  })
  // From 0 on: Prometheus sees no increase in a counter that starts with its first event.
  for (const reason of ['gone', 'failing']) disabled.inc({ reason }, 0)
  new Gauge({
    name: 'webhook_breakers_open',
    help: 'Endpoint circuit breakers of this replica that are open or half-open',
    registers,
    collect() {
      this.set(notClosed())
    },
  })
  return {
    breakerChanged: (to) => changes.inc({ to }),
    denied: (reason) => parked.inc({ because: DENIED_LABEL[reason] }),
    disabled(reason) {
      disabled.inc({ reason })
      metrics.alerts.inc({ kind: 'webhook_endpoint_disabled' })
    },
  }
}
