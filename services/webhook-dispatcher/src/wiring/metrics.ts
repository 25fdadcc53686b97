import { Counter, Histogram } from 'prom-client'
import { gaugeOf, type Metrics } from '@gateway/service-kit'
import type { DeliveryObserver } from '../delivering/index.ts'
import type { DisabledReason } from '../endpoints/index.ts'
import { isAcknowledged } from '../sending/index.ts'
import type { Breaker, Denied } from '../throttling/index.ts'

/** Label values that dashboards and alerts use. */
const DENIED_LABEL = { breaker_open: 'breaker', at_limit: 'limit' } as const satisfies Record<Denied['reason'], string>

export interface DispatcherGauges {
  readonly inFlight: () => number
  /** Breakers that are open or half-open. */
  readonly notClosed: () => number
}

/** Counts attempts, and outcomes of deliveries. A dead delivery raises an alert, and a disabled endpoint. */
export function dispatcherMetrics(metrics: Metrics, { inFlight, notClosed }: DispatcherGauges) {
  const registers = [metrics.registry]
  const counter = (name: string, label: string, help: string) => new Counter({ name, help, labelNames: [label], registers })
  const attempts = counter('webhook_attempts_total', 'result', 'POSTs: acknowledged, status (any other than 200), or an error')
  const durations = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of one exchange with a merchant, from name lookup to the end of the body',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const outcomes = 'Outcomes of attempts: delivered, retry, dead, no_endpoint, or endpoint_disabled'
  const deliveries = counter('webhook_deliveries_total', 'outcome', outcomes)
  // From 0 on: Prometheus sees no increase in a counter that starts with its first event.
  deliveries.inc({ outcome: 'dead' }, 0)
  const latencies = new Histogram({
    name: 'webhook_acknowledgement_latency_seconds',
    help: 'From the status change to the recorded acknowledgement of the merchant, including retries and parking',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 43_200],
    registers,
  })
  gaugeOf(metrics, { name: 'webhook_in_flight', help: 'POSTs in flight', read: inFlight })
  const changes = counter('webhook_breaker_changes_total', 'to', 'Changes of circuit breakers in this replica, by new state')
  const why = 'Attempts parked without being made, by reason: breaker (open), or limit (of requests in flight)'
  const parked = counter('webhook_parked_total', 'because', why)
  const disabled = counter(
    'webhook_endpoints_disabled_total',
    'reason',
    'Endpoints disabled: gone (410), or failing for too long',
  )
  // From 0 on: Prometheus sees no increase in a counter that starts with its first event.
  for (const reason of ['gone', 'failing']) disabled.inc({ reason }, 0)
  const open = 'Endpoint circuit breakers of this replica that are open or half-open'
  gaugeOf(metrics, { name: 'webhook_breakers_open', help: open, read: notClosed })
  const observer: DeliveryObserver = {
    attempted(attempt) {
      const result = isAcknowledged(attempt) ? 'acknowledged' : (attempt.error ?? 'status')
      attempts.inc({ result })
      durations.observe(attempt.duration_ms / 1000)
    },
    acknowledged: (afterMs) => latencies.observe(afterMs / 1000),
    settled(kind) {
      deliveries.inc({ outcome: kind })
      if (kind === 'dead') metrics.alerts.inc({ kind: 'webhook_dead' })
    },
  }
  return {
    observer,
    breakerChanged: (to: Breaker['status']) => changes.inc({ to }),
    denied: (reason: Denied['reason']) => parked.inc({ because: DENIED_LABEL[reason] }),
    disabled: (reason: DisabledReason) => {
      disabled.inc({ reason })
      metrics.alerts.inc({ kind: 'webhook_endpoint_disabled' })
    },
  }
}
