import type { Log, Metrics } from '@gateway/service-kit'
import { createConnectorCapabilities, createFindDowntimes, createNetworkClient } from '@gateway/service-kit/network'
import type { Config } from '../config.ts'
import { makeGuardReport } from '../callbacks/index.ts'
import { createNetworkConnector } from '../enquiries/index.ts'
import { createNetworkRefunds } from '../refunds/index.ts'
import { createOrderApi } from '../payments/index.ts'

export type Clients = ReturnType<typeof createClients>

/** Merchants' requests for downtimes within this time share one request to the connector. */
const DOWNTIMES_KEPT_MS = 15_000

/** The clients of everything that this service calls. */
export function createClients({ config, log, metrics, now }: { config: Config; log: Log; metrics: Metrics; now: () => Date }) {
  const { orderApiUrl, serviceToken, networkUrl, networkApiKey, networkUsesProxy } = config
  const network = { url: networkUrl, apiKey: networkApiKey, usesProxy: networkUsesProxy }
  const client = createNetworkClient(network)
  const capabilities = createConnectorCapabilities(client, { now, log })
  const guardReport = makeGuardReport({ log, alerts: metrics.alerts })
  return {
    capabilities,
    guardReport,
    findDowntimes: createFindDowntimes(client, { capabilities, keptMs: DOWNTIMES_KEPT_MS, now }),
    orders: createOrderApi({ url: orderApiUrl, serviceToken }, log),
    network: createNetworkConnector(network, guardReport, log),
    networkRefunds: createNetworkRefunds(network, guardReport, log),
  }
}
