import { Gauge } from 'prom-client'
import type { Log, Metrics } from '@gateway/service-kit'
import { DIFFERENCE_CLASSES } from './domain/difference.ts'
import type { Stores } from './persistence/stores.ts'
import type { OnCollision } from './use-cases/settle-lines.ts'

/** Raises an alert when two transactions have money under one reference of the network. The references themselves are not logged. */
export function makeOnCollision({ log, metrics: { alerts } }: { log: Log; metrics: Metrics }): OnCollision {
  alerts.inc({ kind: 'reference_collision' }, 0)
  return (transactions) => {
    alerts.inc({ kind: 'reference_collision' })
    log.error('alert', { kind: 'reference_collision', transactions })
  }
}

/** The gauges of reconciliation. All are read from the database at each scrape; one that cannot be read is missing. */
export function settlementMetrics({ registry }: Metrics, { differences, files }: Stores, now: () => Date): void {
  const registers = [registry]
  new Gauge({
    name: 'ledger_differences_open',
    help: 'Differences between settlement files and the ledger that are neither closed nor resolved, by class',
    labelNames: ['class'],
    registers,
    async collect() {
      const counted = DIFFERENCE_CLASSES.map(async (name) => this.set({ class: name }, await differences.countOpen(name)))
      await Promise.all(counted).catch(() => this.reset())
    },
  })
  const gauge = (name: string, help: string, read: () => Promise<number | undefined>): unknown =>
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        const value = await read().catch(() => undefined)
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  gauge(
    'ledger_settlement_import_age_seconds',
    'Since the latest import of a settlement file; missing before the first one',
    async () => {
      const at = await files.lastImportAt()
      return at && (now().getTime() - at.getTime()) / 1000
    },
  )
  gauge('ledger_settlement_files_failing', 'Settlement files whose latest attempt of an import failed', () =>
    files.countFailing(),
  )
}
