import { Counter } from 'prom-client'
import { gaugeOf, type Metrics } from '@gateway/service-kit'
import type { PurgeObserver } from './use-cases/purge-customers.ts'

/** Registers the metrics of the customer purge; returns the observer that feeds them. */
export function purgeMetrics(metrics: Metrics, { retentionMs, now }: { retentionMs: number; now: () => Date }): PurgeObserver {
  const purged = new Counter({
    name: 'customers_purged_total',
    help: 'Orders whose customer was purged because they are older than the retention',
    registers: [metrics.registry],
  })
  let doneUpTo: Date | undefined
  gaugeOf(metrics, {
    name: 'customers_purge_lag_seconds',
    help: 'How much longer than the retention the oldest customer may have been kept; grows while the purge fails',
    // Unknown before the first step.
    read: () => (doneUpTo ? Math.max(0, now().getTime() - retentionMs - doneUpTo.getTime()) / 1000 : NaN),
  })
  return {
    purged: (count) => purged.inc(count),
    upTo: (instant) => (doneUpTo = instant),
  }
}
