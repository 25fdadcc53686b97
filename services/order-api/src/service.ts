import { createOrderRequest, makeCheckoutLinks, newTransactionId, type IntentSigner } from '@gateway/contracts'
import { connectBroker, createPublisher, eventTopology, type Publisher } from '@gateway/messaging'
import { createOutboxRelay, outboxMetrics } from '@gateway/outbox'
import { joinPartitions } from '@gateway/partitions'
import { createMetrics, startWorker, type Log, type Metrics, type Stoppable } from '@gateway/service-kit'
import { createApp, listen, makeRequireCaller } from '@gateway/service-kit/http'
import { createInternalTokenVerifier, makeIdentify } from '@gateway/service-kit/merchant-auth'
import { connectDatabase, driverCollection, makeCheckSlot, waitForIndexes } from '@gateway/service-kit/mongo'
import type { Config } from './config.ts'
import type { OrderDraft } from './domain/order.ts'
import { buildLink } from './domain/order.ts'
import { createRoute } from './http/create-route.ts'
import { internalRoutes } from './http/internal-routes.ts'
import { purgeMetrics } from './metrics.ts'
import { mongoCustomers } from './persistence/customers.ts'
import { indexesOf, orderModel } from './persistence/order-document.ts'
import { mongoOrders } from './persistence/orders.ts'
import { makeCreateOrder, type MintIntent } from './use-cases/create-order.ts'
import { makePurgeDueCustomers } from './use-cases/purge-customers.ts'

/** Order events wait up to 25 ms so that several are published together; the `Initiate` webhook is that much later (ADR 11). */
const PUBLISH_DELAY_MS = 25

/** Parts that a test may replace. */
export interface Overrides {
  readonly publisher?: (real: Publisher) => Publisher
  readonly now?: () => Date
  /** Signs UPI links that the gateway builds. */
  readonly intentSigner?: IntentSigner
}

export interface RunningOrderApi {
  readonly port: number
  /** In the order in which they stop. */
  readonly parts: readonly Stoppable[]
}

/** What every part of the service is made with. */
interface Context {
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly now: () => Date
}

/** Wires the service by hand and starts it: engines, repositories, use cases, then the work that calls them. */
export async function startOrderApi(config: Config, log: Log, overrides: Overrides = {}): Promise<RunningOrderApi> {
  const context = { config, log, metrics: createMetrics('order-api'), now: overrides.now ?? (() => new Date()) }
  const engines = await connectEngines(context, overrides)
  const repositories = createRepositories(context, engines)
  const useCases = createUseCases(context, engines, repositories, await intentMint(context, overrides))

  const app = createHttp(context, engines, repositories, useCases)
  engines.relay.start()
  const idleMs = config.customerPurgeIntervalMs
  const purging = startWorker({ name: 'customer purge', log, step: useCases.purgeDueCustomers, idleMs })
  const http = await listen(app, { port: config.port, host: config.host })
  return { port: http.port, parts: inStoppingOrder({ http, purging, engines }) }
}

type Engines = Awaited<ReturnType<typeof connectEngines>>

/** Database, broker, and the relay that publishes the events of the one through the other. */
async function connectEngines({ config, log, metrics, now }: Context, overrides: Overrides) {
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  await waitForIndexes(database, indexesOf, { ...config, log, metrics })

  const { connection } = database
  const partitions = await joinPartitions({ service: 'order-api', connection, publishes: config.queuePartitions, log, now })
  const topology = eventTopology(config.amqpPrefix)
  const named = { name: 'order-api', service: 'order-api' } as const
  const broker = connectBroker({ ...named, url: config.amqpUrl, log, topology, partitions: partitions.counts })
  const realPublisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 1000, log })
  const publisher = overrides.publisher?.(realPublisher) ?? realPublisher
  const collection = driverCollection(connection, orderModel(connection).collection.name)
  const relay = createOutboxRelay({
    ...{ collection, publisher, exchange: topology.exchanges.events.name, partitions: partitions.publishedTo, now, log },
    publishDelayMs: PUBLISH_DELAY_MS,
  })
  outboxMetrics(metrics.registry, relay)
  const following = partitions.follow({ broker, topology, metrics })
  return { database, broker, relay, following }
}

type Repositories = ReturnType<typeof createRepositories>

function createRepositories({ log, metrics }: Context, { database, relay }: Engines) {
  const { connection } = database
  return { orders: mongoOrders(connection, relay, makeCheckSlot(metrics, 'orders', log)), customers: mongoCustomers(connection) }
}

type UseCases = ReturnType<typeof createUseCases>

/** What mints or signs UPI links; `undefined` when the gateway builds them alone. */
async function intentMint({ config, log }: Context, { intentSigner }: Overrides): Promise<MintIntent | undefined> {
  // Only then is the HTTP client loaded: it takes memory.
  if (config.intents) return (await import('./clients/network-intents.ts')).createMintIntent(config.intents, log)
  return intentSigner && ((order: OrderDraft) => buildLink(order, intentSigner))
}

function createUseCases(
  { config, metrics, now }: Context,
  { relay }: Engines,
  { orders, customers }: Repositories,
  mintIntent: MintIntent | undefined,
) {
  const { limits, customerRetentionMs: retentionMs } = config
  const observer = purgeMetrics(metrics, { retentionMs, now })
  return {
    createOrder: makeCreateOrder({ orders, relay, limits, mintIntent, newTransactionId, now }),
    purgeDueCustomers: makePurgeDueCustomers({ customers, retentionMs, observer, now }),
  }
}

function createHttp(
  { config, log, metrics, now }: Context,
  { database, broker }: Engines,
  { orders }: Repositories,
  { createOrder }: UseCases,
) {
  const { callers, environment, jwksUrl } = config
  const identify = makeIdentify(createInternalTokenVerifier({ jwksUrl, environment, audience: 'order-api', now }))
  const requests = createOrderRequest({ sandbox: environment === 'sandbox' })
  const linksOf = makeCheckoutLinks({ publicUrl: config.publicUrl, key: config.checkoutLinkKey })
  return createApp({
    log,
    metrics,
    checks: [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }],
    hotRoutes: [createRoute({ identify, requests, createOrder, linksOf })],
    routes: [internalRoutes({ requireCaller: makeRequireCaller(callers), orders })],
  })
}

/** Intake off, outbox, then what no merchant waits for, then the connections. */
function inStoppingOrder(running: { http: Stoppable; purging: Stoppable; engines: Engines }): Stoppable[] {
  const { http, purging, engines } = running
  const { relay, following, broker, database } = engines
  return [
    http,
    { name: 'outbox', stop: (deadlineMs) => relay.stop({ deadlineMs }) },
    following,
    // Last: another replica continues the purge.
    purging,
    { name: 'broker', stop: () => broker.close() },
    { name: 'database', stop: () => database.close() },
  ]
}
