import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'
import { isAcknowledged } from './domain/delivery.ts'
import type { DeliveryObserver } from './use-cases/attempt.ts'

/** Counts attempts and what becomes of deliveries; a dead one is an alert. */
export function deliveryMetrics(metrics: Metrics, inFlight: () => number): DeliveryObserver {
  const registers = [metrics.registry]
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'POSTs to merchants, by result: acknowledged, refused by status, or an error',
    labelNames: ['result'],
    registers,
  })
  const durations = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of a whole exchange with a merchant',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'What became of deliveries: delivered, retry, dead, no_endpoint, or endpoint_disabled',
    labelNames: ['outcome'],
    registers,
  })
  // A counter that begins with its first event shows Prometheus no increase.
  deliveries.inc({ outcome: 'dead' }, 0)
  const latencies = new Histogram({
    name: 'webhook_acknowledgement_latency_seconds',
    help: 'From the status change to its acknowledgement by the merchant, recorded; retries and waits included',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 43_200],
    registers,
  })
  new Gauge({
    name: 'webhook_in_flight',
    help: 'POSTs on their way',
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
