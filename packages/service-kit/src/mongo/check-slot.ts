import { Counter } from 'prom-client'
import { slotOf } from '@gateway/contracts'
import type { Log } from '../logging/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'

/**
 * Compares the slot that a document has with the slot that its id names. A document with another one is not found by its id, and is
 * reported (docs/operations/alerts.md, DocumentsWithWrongSlot). The readers that name no slot call it: only they find such a document.
 */
export type CheckSlot = (id: string, slot: number) => void

/** Such documents are read again and again, and each is logged once, up to this number. */
const MAX_LOGGED = 100

/** Counts what it finds as `documents_with_wrong_slot_total`. */
export function makeCheckSlot({ registry }: Pick<Metrics, 'registry'>, collection: string, log: Pick<Log, 'error'>): CheckSlot {
  const wrong = new Counter({
    name: 'documents_with_wrong_slot_total',
    help: 'Reads of documents whose slot is not the one that their id names: no query by id finds them',
    labelNames: ['collection'],
    registers: [registry],
  })
  wrong.inc({ collection }, 0)
  const logged = new Set<string>()
  return (id, slot) => {
    if (slotOf(id) === slot) return
    wrong.inc({ collection })
    if (logged.has(id) || logged.size >= MAX_LOGGED) return
    logged.add(id)
    log.error('document with a wrong slot', { collection, id, slot })
  }
}
