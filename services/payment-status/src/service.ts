import { makeCheckoutLinks } from '@gateway/contracts'
import {
  connectBroker,
  consume,
  createPublisher,
  createQueueAdmin,
  eventTopology,
  type Broker,
  type Consumer,
  type Publisher,
  type Topology,
} from '@gateway/messaging'
import { createOutboxRelay, outboxMetrics, type OutboxRelay } from '@gateway/outbox'
import { createMetrics, queueMetrics, startWorker, type Log, type Metrics, type Stoppable } from '@gateway/service-kit'
import { createApp, createInternalTokenVerifier, listen } from '@gateway/service-kit/http'
import { connectDatabase, driverCollection, waitForIndexes, type Database } from '@gateway/service-kit/mongo'
import type { Config } from './config.ts'
import { handleOrderCreated } from './consumers/order-created.ts'
import { callbackRoute } from './http/callback-route.ts'
import { internalRoutes } from './http/internal-routes.ts'
import { searchRoute } from './http/search-route.ts'
import { transitionsRoute } from './http/transitions-route.ts'
import { connectorNetwork } from './network/network-connector.ts'
import { orderApi } from './network/order-api.ts'
import { transactionMetrics } from './metrics.ts'
import { indexesOf } from './persistence/indexes.ts'
import { mongoCountOverdue, mongoFindOldestDue } from './persistence/overdue.ts'
import { mongoQuarantine } from './persistence/quarantine.ts'
import { rememberRecent } from './persistence/recent-transactions.ts'
import type { TransactionDocument } from './persistence/transaction-model.ts'
import { mongoTransactions } from './persistence/transactions.ts'
import { mongoListHistories } from './persistence/transition-list.ts'
import { makeAdopt } from './use-cases/adopt.ts'
import { makeAdvanceDue } from './use-cases/advance-due.ts'
import { makeAttempts } from './use-cases/attempts.ts'
import { makeChangeTransaction } from './use-cases/change-transaction.ts'
import { makeExportTransitions } from './use-cases/export-transitions.ts'
import { makeLogChanges } from './use-cases/log-changes.ts'
import { makeRaiseAlerts } from './use-cases/raise-alerts.ts'
import { makeRecordReport } from './use-cases/record-report.ts'
import { makeSearchOrder } from './use-cases/search-order.ts'

/** What a test may put in the place of the real thing. */
export interface Overrides {
  readonly publisher?: (real: Publisher) => Publisher
  readonly now?: () => Date
}

export interface RunningPaymentStatus {
  readonly port: number
  /** In the order in which they stop: intake off, drain, channels, HTTP, database. */
  readonly parts: readonly Stoppable[]
}

/** Wires the service by hand and starts it. */
export async function startPaymentStatus(config: Config, log: Log, overrides: Overrides = {}): Promise<RunningPaymentStatus> {
  const now = overrides.now ?? (() => new Date())
  const metrics = createMetrics('payment-status')
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  await waitForIndexes(database, indexesOf, { ...config, log, metrics })

  const declared = eventTopology(config.amqpPrefix)
  const broker = connectBroker({ url: config.amqpUrl, name: 'payment-status', log, topology: declared })
  const realPublisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 1000, log })
  const publisher = overrides.publisher?.(realPublisher) ?? realPublisher
  const collection = driverCollection<TransactionDocument>(database.connection, 'transactions')
  const relay = createOutboxRelay({ collection, publisher, exchange: declared.exchanges.events.name, now, log })

  const transactions = rememberRecent(mongoTransactions(collection, relay))
  const orders = orderApi({ url: config.orderApiUrl, internalApiToken: config.internalApiToken }, log)
  const network = connectorNetwork({ url: config.networkUrl, apiKey: config.networkApiKey }, log)
  const [{ timing }, { alerts }] = [config, metrics]
  const logChanges = transactionMetrics(metrics, {
    logChanges: makeLogChanges(log),
    countOverdue: mongoCountOverdue(collection),
    findOldestDue: mongoFindOldestDue(collection),
    now,
  })
  const adopt = makeAdopt({ transactions, orders, logChanges })
  const change = makeChangeTransaction({ transactions, raiseAlerts: makeRaiseAlerts({ log, alerts }), logChanges })
  const quarantine = mongoQuarantine(database.connection)
  const recordReport = makeRecordReport({ adopt, change, transactions, quarantine, timing, now, log, alerts })
  const linksOf = makeCheckoutLinks({ publicUrl: config.publicUrl, key: config.checkoutLinkKey })
  const verify = createInternalTokenVerifier({ jwksUrl: config.jwksUrl, environment: config.environment, now })

  const app = createApp({
    log,
    metrics,
    checks: [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }],
    hotRoutes: [
      searchRoute({ verify, searchOrder: makeSearchOrder({ adopt, orders }), linksOf, now }),
      callbackRoute({ recordReport, keys: config.networkCallbackKeys, now }),
    ],
    routes: [
      internalRoutes({
        internalApiToken: config.internalApiToken,
        adopt,
        attempts: makeAttempts({ adopt, change, timing, now }),
        linksOf,
        now,
      }),
      transitionsRoute({
        internalApiToken: config.internalApiToken,
        exportTransitions: makeExportTransitions(mongoListHistories(collection)),
      }),
    ],
  })
  outboxMetrics(metrics.registry, relay)
  relay.start()
  const consumer = consume(broker, {
    queue: declared.queues.orderCreated,
    prefetch: 200,
    handle: handleOrderCreated(adopt, declared.queues.orderCreated.name),
    publisher,
    log,
  })
  measureQueues(metrics, { broker, declared, consumer, now })
  const step = makeAdvanceDue({ transactions, change, network, timing, now })
  const worker = startWorker({ name: 'due transactions', log, step, idleMs: 200 })
  const http = await listen(app, { port: config.port, host: config.host })
  return { port: http.port, parts: inStoppingOrder({ consumer, worker, http, relay, broker, database }) }
}

/** What waits for this service, and what it could not understand. */
function measureQueues(
  metrics: Metrics,
  { broker, declared, consumer, now }: { broker: Broker; declared: Topology; consumer: Consumer; now: () => Date },
): void {
  const { orderCreated, paymentStatusDead } = declared.queues
  const admin = createQueueAdmin(broker)
  queueMetrics(metrics, {
    queues: [orderCreated.name, paymentStatusDead.name],
    depth: (queue) => admin.depth(queue),
    oldestPublishedAtMs: () => [{ queue: orderCreated.name, atMs: consumer.oldestPublishedAtMs }],
    now,
  })
}

/** Intake off, drain, channels, HTTP, database. */
function inStoppingOrder(running: {
  consumer: Consumer
  worker: Stoppable
  http: Stoppable
  relay: OutboxRelay
  broker: Broker
  database: Database
}): Stoppable[] {
  const { consumer, worker, http, relay, broker, database } = running
  return [
    { name: 'consumer', stop: (deadlineMs) => consumer.stop({ deadlineMs }) },
    worker,
    http,
    { name: 'outbox', stop: (deadlineMs) => relay.stop({ deadlineMs }) },
    { name: 'broker', stop: () => broker.close() },
    { name: 'database', stop: () => database.close() },
  ]
}
