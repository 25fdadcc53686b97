import type { Log } from '@gateway/service-kit'
import type { Config } from '../config.ts'
import { createFindCapabilities } from './network-capabilities.ts'
import { createNetworkClient } from './network-client.ts'
import { createNetworkConnector } from './network-connector.ts'
import { createNetworkRefunds } from './network-refunds.ts'
import { createOrderApi } from './order-api.ts'

export type Clients = ReturnType<typeof createClients>

/** Everything that this service calls. */
export function createClients({ config, log, now }: { config: Config; log: Log; now: () => Date }) {
  const { orderApiUrl, serviceToken, networkUrl, networkApiKey } = config
  const network = { url: networkUrl, apiKey: networkApiKey }
  return {
    orders: createOrderApi({ url: orderApiUrl, serviceToken }, log),
    network: createNetworkConnector(network, log),
    networkRefunds: createNetworkRefunds(network, log),
    findCapabilities: createFindCapabilities(createNetworkClient(network), { now, log }),
  }
}
