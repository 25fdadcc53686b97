import type { Connection } from 'mongoose'
import { mongoPartitions } from '@gateway/partitions'
import type { Log, Stoppable } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import { readOrderApiConfig } from '@gateway-services/order-api/config'
import { indexesOf as orderIndexes } from '@gateway-services/order-api/persistence/order-document'
import { startOrderApi } from '@gateway-services/order-api/service'
import { readPaymentStatusConfig } from '@gateway-services/payment-status/config'
import { indexesOf as statusIndexes } from '@gateway-services/payment-status/payments/persistence/transaction-document'
import { startPaymentStatus } from '@gateway-services/payment-status/service'
import { readDispatcherConfig } from '@gateway-services/webhook-dispatcher/config'
import { indexesFor } from '@gateway-services/webhook-dispatcher/wiring/indexes'
import { startWebhookDispatcher } from '@gateway-services/webhook-dispatcher/service'
import { configOf, type EngineUrls, type ServiceName } from './configs.ts'
import { simulatedSend } from '../hooks/substitutes.ts'

const PUBLIC_ADDRESS = { address: '93.184.215.14', family: 4 }

/** The services as they are, with the configuration of the simulation. */
export function loadServices(urls: EngineUrls) {
  const configsFor = (partitions: number) => ({
    'order-api': configOf('order-api', readOrderApiConfig, { ...urls, partitions }),
    'payment-status': configOf('payment-status', readPaymentStatusConfig, { ...urls, partitions }),
    // Copies for listening merchants may be lost, so they are no part of this.
    'webhook-dispatcher': {
      ...configOf('webhook-dispatcher', readDispatcherConfig, urls),
      environment: 'production' as const,
    },
  })
  return {
    /** Builds the indexes of all services and records their first partitions, as an operator does. */
    async buildIndexes(log: Log, partitions: number): Promise<void> {
      const configs = configsFor(partitions)
      const begin = (connection: Connection) => mongoPartitions(connection).begin(partitions)
      await buildIndexes(configs['order-api'], orderIndexes, log, begin)
      await buildIndexes(configs['payment-status'], statusIndexes, log, begin)
      await buildIndexes(configs['webhook-dispatcher'], indexesFor(configs['webhook-dispatcher']), log, begin)
    },
    /** Starts one replica, in the process that calls. */
    start(service: ServiceName, log: Log, partitions: number): Promise<{ readonly parts: readonly Stoppable[] }> {
      const configs = configsFor(partitions)
      switch (service) {
        case 'order-api':
          return startOrderApi(configs[service], log)
        case 'payment-status':
          return startPaymentStatus(configs[service], log)
        case 'webhook-dispatcher':
          return startWebhookDispatcher(configs[service], log, {
            send: () => simulatedSend,
            resolve: () => Promise.resolve([PUBLIC_ADDRESS]),
          })
      }
    },
  }
}
