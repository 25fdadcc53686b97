import { Gauge, Histogram } from 'prom-client'
import type { Log, Metrics } from '@gateway/service-kit'
import { DIFFERENCE_CLASSES, type DifferenceClass } from './domain/difference.ts'
import type { OnCollision } from './use-cases/store-entries.ts'

/** Measures how far the ledger is behind. Call the returned function after each applied event. */
export function ledgerMetrics({ registry }: Metrics, now: () => Date): (occurredAt: Date) => void {
  const lag = new Histogram({
    name: 'ledger_lag_seconds',
    help: 'From an event to its appearance in the ledger',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800],
    registers: [registry],
  })
  return (occurredAt) => lag.observe(Math.max(0, (now().getTime() - occurredAt.getTime()) / 1000))
}

/** Raises an alert when two transactions have money under one reference of the network. The references themselves are not logged. */
export function makeOnCollision({ log, metrics: { alerts } }: { log: Log; metrics: Metrics }): OnCollision {
  alerts.inc({ kind: 'reference_collision' }, 0)
  return (transactions) => {
    alerts.inc({ kind: 'reference_collision' })
    log.error('alert', { kind: 'reference_collision', transactions })
  }
}

/** The gauges of reconciliation. All are read from the database at each scrape. */
export function settlementMetrics(
  { registry }: Metrics,
  parts: {
    readonly countOpen: (name: DifferenceClass) => Promise<number>
    readonly lastImportAt: () => Promise<Date | undefined>
    readonly countFailing: () => Promise<number>
    readonly now: () => Date
  },
): void {
  const { countOpen, lastImportAt, countFailing, now } = parts
  new Gauge({
    name: 'ledger_differences_open',
    help: 'Differences between settlement files and the ledger that are neither closed nor resolved, by class',
    labelNames: ['class'],
    registers: [registry],
    async collect() {
      await Promise.all(DIFFERENCE_CLASSES.map(async (name) => this.set({ class: name }, await countOpen(name)))).catch(() =>
        this.reset(),
      )
    },
  })
  new Gauge({
    name: 'ledger_settlement_import_age_seconds',
    help: 'Since the latest import of a settlement file; missing before the first one',
    registers: [registry],
    async collect() {
      const at = await lastImportAt().catch(() => undefined)
      if (at) this.set((now().getTime() - at.getTime()) / 1000)
      else this.remove()
    },
  })
  new Gauge({
    name: 'ledger_settlement_files_failing',
    help: 'Settlement files whose latest attempt of an import failed',
    registers: [registry],
    async collect() {
      const count = await countFailing().catch(() => undefined)
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
}
