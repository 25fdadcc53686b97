import { connectBroker, createPublisher, eventTopology, type Publisher } from '@gateway/messaging'
import { createOutboxRelay, outboxMetrics } from '@gateway/outbox'
import type { Log, Metrics } from '@gateway/service-kit'
import { connectDatabase, driverCollection, waitForIndexes } from '@gateway/service-kit/mongo'
import type { Config } from '../config.ts'
import { indexesOf, transactionModel } from '../payments/index.ts'

/** Parts that a test may replace. */
export interface Overrides {
  readonly publisher?: (real: Publisher) => Publisher
  readonly now?: () => Date
}

/** What every part of the service is made with. */
export interface Context {
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly now: () => Date
}

export type Engines = Awaited<ReturnType<typeof connectEngines>>

/** Database, broker, and the relay that publishes the events of the one through the other. */
export async function connectEngines({ config, log, metrics, now }: Context, overrides: Overrides) {
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  await waitForIndexes(database, indexesOf, { ...config, log, metrics })

  const topology = eventTopology(config.amqpPrefix)
  const broker = connectBroker({ url: config.amqpUrl, name: 'payment-status', service: 'payment-status', log, topology })
  const realPublisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 1000, log })
  const publisher = overrides.publisher?.(realPublisher) ?? realPublisher
  const collection = driverCollection(database.connection, transactionModel(database.connection).collection.name)
  const relay = createOutboxRelay({ collection, publisher, exchange: topology.exchanges.events.name, now, log })
  outboxMetrics(metrics.registry, relay)
  return { database, topology, broker, publisher, relay }
}
