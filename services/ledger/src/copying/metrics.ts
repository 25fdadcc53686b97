import { Histogram } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'

/** Measures how far the ledger is behind. Call the returned function with the time of each event that is stored. */
export function lagMetric({ registry }: Metrics, now: () => Date): (occurredAt: Date) => void {
  const lag = new Histogram({
    name: 'ledger_lag_seconds',
    help: 'From an event to its appearance in the ledger',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800],
    registers: [registry],
  })
  return (occurredAt) => lag.observe(Math.max(0, (now().getTime() - occurredAt.getTime()) / 1000))
}
