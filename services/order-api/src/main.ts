import { runMain } from '@gateway/service-kit'
import { readOrderApiConfig } from './config.ts'
import { startOrderApi } from './service.ts'

await runMain('order-api', readOrderApiConfig, async (config, log) => (await startOrderApi(config, log)).parts)
