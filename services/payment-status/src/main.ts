import { runMain } from '@gateway/service-kit'
import { readPaymentStatusConfig } from './config.ts'
import { startPaymentStatus } from './service.ts'

await runMain('payment-status', readPaymentStatusConfig, async (config, log) => (await startPaymentStatus(config, log)).parts)
