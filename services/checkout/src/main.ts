import { runMain } from '@gateway/service-kit'
import { readCheckoutConfig } from './config.ts'
import { startCheckout } from './service.ts'

await runMain('checkout', readCheckoutConfig, async (config, log) => (await startCheckout(config, { log })).parts)
