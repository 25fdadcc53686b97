import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'
import { isAcknowledged } from './domain/delivery.ts'
import type { DeliveryObserver } from './use-cases/attempt.ts'

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
    help: 'From the status change to the recorded acknowledgement of the merchant, including retries and delays',
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
