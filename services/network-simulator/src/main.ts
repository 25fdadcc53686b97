import { runMain } from '@gateway/service-kit'
import { readSimulatorConfig } from './config.ts'
import { startNetworkSimulator } from './service.ts'

await runMain(
  'network-simulator',
  readSimulatorConfig,
  async (config, log) => (await startNetworkSimulator(config, { log })).parts,
)
