import type { Connection } from 'mongoose'
import type { Log, Stoppable } from '@gateway/service-kit'
import type { SettlementConfig } from './config.ts'
import { startImporter } from './importer.ts'
import { mongoDifferences } from './persistence/differences.ts'
import { mongoEntries } from './persistence/entries.ts'
import { mongoSettlementFiles } from './persistence/settlement-files.ts'
import { mongoSettlements } from './persistence/settlements.ts'
import { makeFindMissing } from './use-cases/find-missing.ts'
import { makeImportSettlementFile } from './use-cases/import-settlement-file.ts'
import { makeManageDifferences } from './use-cases/manage-differences.ts'
import { makeNameOwedMissing } from './use-cases/name-owed-missing.ts'
import { makeReadSettlements } from './use-cases/read-settlements.ts'
import { makeReceiveSettlementFile } from './use-cases/receive-settlement-file.ts'
import { makeSettleLines } from './use-cases/settle-lines.ts'
import { makeStoreEntries, type OnCollision } from './use-cases/store-entries.ts'

interface Basis {
  readonly connection: Connection
  readonly onCollision: OnCollision
  readonly now: () => Date
}

/** The entries, and what settles them. */
export function composeEntries({ connection, onCollision, now }: Basis) {
  const entries = mongoEntries(connection)
  const settlements = mongoSettlements(connection)
  const differences = mongoDifferences(connection)
  const settleLines = makeSettleLines({ entries, settlements, differences, now })
  const storeEntries = makeStoreEntries({ entries, settlements, settleLines, onCollision })
  return { entries, settlements, differences, settleLines, storeEntries }
}

export type SettlementParts = ReturnType<typeof composeSettlements>

/** How long a replica that died keeps its file from the others. */
const LEASE_MS = 2 * 60_000
const IDLE_MS = 5000

/** Everything about settlement files. Nothing runs until `startImporter`. */
export function composeSettlements({ config, log, ...basis }: Basis & { config: SettlementConfig; log: Log }) {
  const { connection, now } = basis
  const { entries, settlements, differences, settleLines, storeEntries } = composeEntries(basis)
  const files = mongoSettlementFiles(connection)
  const imported = { files, entries, settlements, differences, settleLines }
  const findMissing = makeFindMissing({ entries, differences, rules: config.rules, now })
  const nameOwedMissing = makeNameOwedMissing({ files, differences, findMissing })
  return {
    readEntries: entries.read,
    storeEntries,
    receiveFile: makeReceiveSettlementFile({ files, maxBytes: config.maxFileBytes, now }),
    manage: makeManageDifferences({ files, differences, entries, now }),
    readSettlements: makeReadSettlements(settlements),
    countOpen: differences.countOpen,
    lastImportAt: files.lastImportAt,
    countFailing: () => files.countFailing(),
    startImporter({ leaseMs = LEASE_MS, idleMs = IDLE_MS } = {}): Stoppable {
      const importFile = makeImportSettlementFile({ ...imported, findMissing, now, leaseMs })
      return startImporter({ files, settlements, importFile, nameOwedMissing, log, now, leaseMs, idleMs })
    },
  }
}
