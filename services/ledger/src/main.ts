import { runMain } from '@gateway/service-kit'
import { readLedgerConfig } from './config.ts'
import { startLedger } from './service.ts'

await runMain('ledger', readLedgerConfig, async (config, log) => (await startLedger(config, log)).parts)
