import { constants, setPriority } from 'node:os'
import { runMain } from '@gateway/service-kit'
import { readLedgerConfig } from './config.ts'
import { startLedger } from './service.ts'

// Where services share processors, a payment comes before its entry in the ledger.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

await runMain('ledger', readLedgerConfig, async (config, log) => (await startLedger(config, log)).parts)
