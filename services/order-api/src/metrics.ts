import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'
import type { PurgeObserver } from './use-cases/purge-customers.ts'

/** Registers the metrics of the customer purge; returns the observer that feeds them. */
export function purgeMetrics(
  { registry }: Metrics,
  { retentionMs, now }: { retentionMs: number; now: () => Date },
): PurgeObserver {
  const registers = [registry]
  const purged = new Counter({
    name: 'customers_purged_total',
    help: 'Orders whose customer was purged because they are older than the retention',
    registers,
  })
  let doneUpTo: Date | undefined
  new Gauge({
    name: 'customers_purge_lag_seconds',
    help: 'How much longer than the retention the oldest customer may have been kept; grows while the purge fails',
    registers,
    collect() {
      // Unknown before the first step.
      this.set(doneUpTo ? Math.max(0, now().getTime() - retentionMs - doneUpTo.getTime()) / 1000 : NaN)
    },
  })
  return {
    purged: (count) => purged.inc(count),
    upTo: (instant) => (doneUpTo = instant),
  }
}
