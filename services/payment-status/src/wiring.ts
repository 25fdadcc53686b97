import { connectBroker, createPublisher, eventTopology, type Broker, type Consumer, type Publisher } from '@gateway/messaging'
import { createOutboxRelay, outboxMetrics, type OutboxRelay } from '@gateway/outbox'
import { joinPartitions } from '@gateway/partitions'
import { startWorker, stoppedInOrder, stoppedTogether, type Log, type Metrics, type Stoppable } from '@gateway/service-kit'
import { connectDatabase, driverCollection, waitForIndexes, type Database } from '@gateway/service-kit/mongo'
import { createConnectorCapabilities, createFindDowntimes, createNetworkClient } from '@gateway/connector-client'
import type { Config } from './config.ts'
import { createOrderApi, indexesOf, transactionModel, type DueWork } from './payments/index.ts'
import { makeGuardReport } from './callbacks/index.ts'
import { createNetworkConnector } from './enquiries/index.ts'
import { createNetworkRefunds } from './refunds/index.ts'

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

  const { connection } = database
  const partitions = await joinPartitions({ service: 'payment-status', connection, publishes: config.queuePartitions, log, now })
  const topology = eventTopology(config.amqpPrefix)
  const named = { name: 'payment-status', service: 'payment-status' } as const
  const broker = connectBroker({ ...named, url: config.amqpUrl, log, topology, partitions: partitions.counts })
  const realPublisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 1000, log })
  const publisher = overrides.publisher?.(realPublisher) ?? realPublisher
  const collection = driverCollection(connection, transactionModel(connection).collection.name)
  const exchange = topology.exchanges.events.name
  const relay = createOutboxRelay({ collection, publisher, exchange, partitions: partitions.publishedTo, now, log })
  outboxMetrics(metrics.registry, relay)
  return { database, topology, broker, publisher, relay, partitions }
}

export type Clients = ReturnType<typeof createClients>

/** Merchants' requests for downtimes within this time share one request to the connector. */
const DOWNTIMES_KEPT_MS = 15_000

/** The clients of everything that this service calls. */
export function createClients({ config, log, metrics, now }: Context) {
  const { orderApiUrl, serviceToken, networkUrl, networkApiKey, networkUsesProxy } = config
  const network = { url: networkUrl, apiKey: networkApiKey, usesProxy: networkUsesProxy }
  const client = createNetworkClient(network)
  const capabilities = createConnectorCapabilities(client, { now, log })
  const guardReport = makeGuardReport(log, metrics.alerts)
  return {
    capabilities,
    guardReport,
    findDowntimes: createFindDowntimes(client, { capabilities, keptMs: DOWNTIMES_KEPT_MS, now }),
    orders: createOrderApi({ url: orderApiUrl, serviceToken }, log),
    network: createNetworkConnector(network, guardReport, log),
    networkRefunds: createNetworkRefunds(network, guardReport, log),
  }
}

/** A worker each for due transactions and for due refunds, so that neither delays the other. They stop together. */
export function startDueWorkers(log: Log, useCases: { advanceDue: DueWork; advanceRefunds: DueWork }): Stoppable {
  return stoppedTogether(
    start('due transactions', 200, useCases.advanceDue, log),
    start('due refunds', 200, useCases.advanceRefunds, log),
  )
}

function start(name: string, idleMs: number, work: DueWork, log: Log): Stoppable {
  const worker = startWorker({ name, log, step: () => work.step(), idleMs })
  return { name, stop: (deadlineMs) => Promise.all([work.stop(), worker.stop(deadlineMs)]) }
}

/** Intake off, then HTTP and outbox beside the worker, whose calls of a slow network may take seconds; then the connections. */
export function inStoppingOrder(running: {
  consumer: Pick<Consumer, 'stop'>
  comparison: Stoppable
  worker: Stoppable
  http: Stoppable
  following: Stoppable
  engines: { relay: Pick<OutboxRelay, 'stop'>; broker: Pick<Broker, 'close'>; database: Pick<Database, 'close'> }
}): Stoppable[] {
  const { consumer, comparison, worker, http, following, engines } = running
  const { relay, broker, database } = engines
  const outbox: Stoppable = { name: 'outbox', stop: (deadlineMs) => relay.stop({ deadlineMs }) }
  return [
    { name: 'consumer', stop: (deadlineMs) => consumer.stop({ deadlineMs }) },
    stoppedTogether(comparison, worker, stoppedInOrder(http, outbox)),
    following,
    { name: 'broker', stop: () => broker.close() },
    { name: 'database', stop: () => database.close() },
  ]
}
