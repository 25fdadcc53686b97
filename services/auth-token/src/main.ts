import { runMain } from '@gateway/service-kit'
import { readAuthTokenConfig } from './config.ts'
import { startAuthToken } from './service.ts'

await runMain('auth-token', readAuthTokenConfig, async (config, log) => (await startAuthToken(config, { log })).parts)
