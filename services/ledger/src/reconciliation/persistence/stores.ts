import type { Connection } from 'mongoose'
import { mongoDifferences } from './differences.ts'
import { mongoEntries } from './entries.ts'
import { mongoSettlementFiles } from './settlement-files.ts'
import { mongoSettlements } from './settlements.ts'

/** Everything that reconciliation stores. */
export type Stores = ReturnType<typeof mongoStores>

export function mongoStores(connection: Connection) {
  return {
    entries: mongoEntries(connection),
    settlements: mongoSettlements(connection),
    differences: mongoDifferences(connection),
    files: mongoSettlementFiles(connection),
  }
}
