import type { Connection } from 'mongoose'
import type { Log, Stoppable } from '@gateway/service-kit'
import type { SettlementConfig } from './config.ts'
import { startImporter } from './importer.ts'
import { mongoStores } from './persistence/stores.ts'
import { makeFindMissing } from './use-cases/find-missing.ts'
import { makeManageDifferences } from './use-cases/manage-differences.ts'
import { makeReadSettlements } from './use-cases/read-settlements.ts'
import { makeReceiveSettlementFile } from './use-cases/receive-settlement-file.ts'
import { makeSettleLines, makeStoreEntries, type OnCollision } from './use-cases/settle-lines.ts'

interface Basis {
  readonly connection: Connection
  readonly onCollision: OnCollision
  readonly now: () => Date
}

/** The entries, and what settles them. */
export function composeEntries({ connection, onCollision, now }: Basis) {
  const stores = mongoStores(connection)
  const settleLines = makeSettleLines(stores, now)
  return { stores, settleLines, storeEntries: makeStoreEntries(stores, settleLines, onCollision) }
}

export type SettlementParts = ReturnType<typeof composeSettlements>

/** Everything about settlement files. Nothing runs until `startImporter`. */
export function composeSettlements({ config, log, ...basis }: Basis & { config: SettlementConfig; log: Log }) {
  const { now } = basis
  const { stores, settleLines, storeEntries } = composeEntries(basis)
  const findMissing = makeFindMissing(stores, config.rules, now)
  return {
    stores,
    storeEntries,
    receiveFile: makeReceiveSettlementFile(stores.files, config.maxFileBytes, now),
    manage: makeManageDifferences(stores, now),
    readSettlements: makeReadSettlements(stores.settlements),
    startImporter: ({ leaseMs = 2 * 60_000, idleMs = 5000 } = {}): Stoppable =>
      startImporter({ stores, settleLines, findMissing, log, now, leaseMs, idleMs }),
  }
}
