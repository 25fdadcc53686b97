import { Gauge } from 'prom-client'
import type { Log, Metrics } from '@gateway/service-kit'
import { DIFFERENCE_CLASSES, type DifferenceClass } from './domain/difference.ts'
import type { OnCollision } from './use-cases/store-entries.ts'

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
