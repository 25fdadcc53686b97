import { createOrderRequest, makeCheckoutLinks, newTransactionId } from '@gateway/contracts'
import { connectBroker, createPublisher, eventTopology, type Publisher } from '@gateway/messaging'
import { createOutboxRelay, outboxMetrics } from '@gateway/outbox'
import { createMetrics, startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import { createApp, createInternalTokenVerifier, listen } from '@gateway/service-kit/http'
import { connectDatabase, driverCollection, waitForIndexes } from '@gateway/service-kit/mongo'
import type { Config } from './config.ts'
import { createRoute } from './http/create-route.ts'
import { internalRoutes } from './http/internal-routes.ts'
import { purgeMetrics } from './metrics.ts'
import { mongoCustomers } from './persistence/customers.ts'
import { indexesOf } from './persistence/indexes.ts'
import { mongoOrders, ORDERS, type OrderDocument } from './persistence/orders.ts'
import { makeCreateOrder } from './use-cases/create-order.ts'
import { makePurgeDueCustomers } from './use-cases/purge-due-customers.ts'

/** How long an order's event waits for others: nobody waits for it but who asks for the order in its first moment (docs/adr/0011). */
const PUBLISH_AFTER_MS = 25

/** What a test may put in the place of the real thing. */
export interface Overrides {
  readonly publisher?: (real: Publisher) => Publisher
}

export interface RunningOrderApi {
  readonly port: number
  /** In the order in which they stop: intake off, drain, channels, database. */
  readonly parts: readonly Stoppable[]
}

/** Wires the service by hand and starts it. */
export async function startOrderApi(config: Config, log: Log, overrides: Overrides = {}): Promise<RunningOrderApi> {
  const now = () => new Date()
  const metrics = createMetrics('order-api')
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  await waitForIndexes(database, indexesOf, { ...config, log, metrics })

  const declared = eventTopology(config.amqpPrefix)
  const broker = connectBroker({ url: config.amqpUrl, name: 'order-api', log, topology: declared })
  const realPublisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 1000, log })
  const publisher = overrides.publisher?.(realPublisher) ?? realPublisher
  const collection = driverCollection<OrderDocument>(database.connection, ORDERS)
  const relay = createOutboxRelay({
    ...{ collection, publisher, exchange: declared.exchanges.events.name, now, log },
    publishAfterMs: PUBLISH_AFTER_MS,
  })

  const orders = mongoOrders(collection, relay)
  const createOrder = makeCreateOrder({ orders, relay, limits: config.limits, newTransactionId, now })
  const verify = createInternalTokenVerifier({ jwksUrl: config.jwksUrl, environment: config.environment, now })
  const requests = createOrderRequest({ sandbox: config.environment === 'sandbox' })
  const linksOf = makeCheckoutLinks({ publicUrl: config.publicUrl, key: config.checkoutLinkKey })
  const app = createApp({
    log,
    metrics,
    checks: [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }],
    hotRoutes: [createRoute({ verify, requests, createOrder, linksOf })],
    routes: [internalRoutes({ internalApiToken: config.internalApiToken, orders })],
  })
  outboxMetrics(metrics.registry, relay)
  relay.start()
  const { customerRetentionMs: retentionMs, customerPurgeIntervalMs: idleMs } = config
  const observer = purgeMetrics(metrics, { retentionMs, now })
  const purge = makePurgeDueCustomers({ customers: mongoCustomers(database.connection), retentionMs, observer, now })
  const purging = startWorker({ name: 'customer purge', log, step: purge, idleMs })
  const http = await listen(app, { port: config.port, host: config.host })
  return {
    port: http.port,
    parts: [
      http,
      { name: 'outbox', stop: (deadlineMs) => relay.stop({ deadlineMs }) },
      // After what merchants wait for: another replica goes on with it.
      purging,
      { name: 'broker', stop: () => broker.close() },
      { name: 'database', stop: () => database.close() },
    ],
  }
}
