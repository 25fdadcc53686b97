import { runMain } from '@gateway/service-kit'
import { readDispatcherConfig } from './config.ts'
import { startWebhookDispatcher } from './service.ts'

await runMain(
  'webhook-dispatcher',
  readDispatcherConfig,
  async (config, log) => (await startWebhookDispatcher(config, log)).parts,
)
