import { runMain } from '@gateway/service-kit'
import { readGatewayConfig } from './config.ts'
import { startApiGateway } from './service.ts'

await runMain('api-gateway', readGatewayConfig, async (config, log) => (await startApiGateway(config, { log })).parts)
