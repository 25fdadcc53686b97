import { runMain } from '@gateway/service-kit'
import { readLedgerConfig } from './config.ts'
import { yieldToPayments } from './priority.ts'
import { startLedger } from './service.ts'

yieldToPayments()
await runMain('ledger', readLedgerConfig, async (config, log) => (await startLedger(config, log)).parts)
