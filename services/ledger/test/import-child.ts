import mongoose from 'mongoose'
import { silentLog } from '@gateway/service-kit'
import { composeSettlements } from '../src/reconciliation/compose.ts'

/** The importer in a process of its own, which a test kills. */
const { MONGO_URL = '', DATABASE = '' } = process.env
const connection = await mongoose.createConnection(MONGO_URL, { dbName: DATABASE }).asPromise()
const rules = { captureBusinessDays: 2, refundDays: 7, reversalDays: 5, holidays: new Set<string>(), since: undefined }
const settlements = composeSettlements({
  connection,
  onCollision: () => undefined,
  now: () => new Date(),
  config: { maxFileBytes: 1, rules },
  log: silentLog,
})
settlements.startImporter({ leaseMs: 300, idleMs: 50 })
