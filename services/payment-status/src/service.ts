import { makeCheckoutLinks, REFUND_CALLBACKS_PATH } from '@gateway/contracts'
import { consumePartitions, createQueueAdmin, type PartitionConsumers } from '@gateway/messaging'
import {
  createMetrics,
  isDatabaseFailure,
  makeAudited,
  queueMetrics,
  startWorker,
  stoppedTogether,
  type Log,
  type Stoppable,
} from '@gateway/service-kit'
import { createApp, listen, makeRequireCaller } from '@gateway/service-kit/http'
import { createInternalTokenVerifier, makeIdentify } from '@gateway/service-kit/merchant-auth'
import { makeCheckSlot } from '@gateway/service-kit/mongo'
import { noAudit, remoteAudit } from '@gateway/service-kit/http-client'
import { refreshCapabilities } from '@gateway/connector-client'
import {
  connectEngines,
  createClients,
  inStoppingOrder,
  startDueWorkers,
  type Clients,
  type Context,
  type Engines,
  type Overrides,
} from './wiring.ts'
import type { Config } from './config.ts'
import {
  createTransactions,
  handleOrderCreated,
  internalRoutes,
  makeAdopt,
  makeAttempts,
  makeChangeTransaction,
  makeCompareOrders,
  makeSearchOrder,
  mongoTransactionStore,
  searchRoute,
  timingWithin,
  transactionModel,
} from './payments/index.ts'
import { callbackRoute, makeQuarantineReport, makeRecordReport, makeReturnAtOnce, mongoQuarantine } from './callbacks/index.ts'
import { downtimesRoute, makeAdvanceDue } from './enquiries/index.ts'
import { exportRoutes, makeExportPayments, makeExportTransitions, mongoPages } from './exports/index.ts'
import { makeAdvanceRefunds, makeRecordRefundReport, makeRefunds, refundRoutes } from './refunds/index.ts'
import { makeObserveChanges, mongoCountOverdue, mongoFindOldestDue, transactionMetrics } from './observing/index.ts'

export interface RunningPaymentStatus {
  readonly port: number
  /** In the order in which they stop. */
  readonly parts: readonly Stoppable[]
}

/** Wires the service by hand and starts it: engines, repositories, clients, use cases, then the work that calls them. */
export async function startPaymentStatus(config: Config, log: Log, overrides: Overrides = {}): Promise<RunningPaymentStatus> {
  const context = { config, log, metrics: createMetrics('payment-status'), now: overrides.now ?? (() => new Date()) }
  const engines = await connectEngines(context, overrides)
  const repositories = createRepositories(context, engines)
  const clients = createClients(context)
  const useCases = createUseCases(context, engines, repositories, clients)

  const app = createHttp(context, engines, useCases, clients)
  engines.relay.start()
  const consumer = startConsumer(context, engines, useCases)
  measureQueues(context, engines, consumer)
  const following = engines.partitions.follow({ ...engines, consumers: consumer, metrics: context.metrics })
  const worker = stoppedTogether(startDueWorkers(log, useCases), refreshCapabilities(clients.capabilities, log))
  const http = await listen(app, { port: config.port, host: config.host })
  const comparison = startWorker({ name: 'order comparison', log, step: useCases.compareOrders, idleMs: 1000 })
  return { port: http.port, parts: inStoppingOrder({ consumer, comparison, worker, http, following, engines }) }
}

type Repositories = ReturnType<typeof createRepositories>

function createRepositories({ log, metrics, now }: Context, { database, relay }: Engines) {
  const { connection } = database
  const model = transactionModel(connection)
  const countTransitions = transactionMetrics(metrics, {
    countOverdue: mongoCountOverdue(model),
    findOldestDue: mongoFindOldestDue(model),
    now,
  })
  const observeChanges = makeObserveChanges({ log, alerts: metrics.alerts, countTransitions })
  const store = mongoTransactionStore(connection, relay, makeCheckSlot(metrics, 'transactions', log))
  return {
    transactions: createTransactions(store, observeChanges, now),
    quarantine: mongoQuarantine(connection),
    pages: mongoPages(model),
  }
}

type UseCases = ReturnType<typeof createUseCases>

function createUseCases(context: Context, { broker }: Engines, repositories: Repositories, clients: Clients) {
  const { config, log, metrics, now } = context
  const { orders, network, networkRefunds, capabilities, guardReport } = clients
  const { transactions, quarantine, pages } = repositories
  const { orderComparisonAfterMs: afterMs } = config
  const timing = timingWithin(() => capabilities.latest()?.enquiry, config.timing)
  const isBrokerUp = (): boolean => broker.state === 'up'
  const { alerts } = metrics
  const { auditUrl: url, serviceToken: token } = config
  const audited = makeAudited({ append: url === undefined ? noAudit : remoteAudit({ url, token }), log })
  const adopt = makeAdopt({ transactions, orders })
  const change = makeChangeTransaction(transactions)
  const quarantineReport = makeQuarantineReport({ quarantine, now, log, alerts })
  const returnAtOnce = makeReturnAtOnce({ network, log, alerts })
  return {
    adopt,
    attempts: makeAttempts({ adopt, change, timing, now }),
    searchOrder: makeSearchOrder(adopt, orders),
    recordReport: makeRecordReport({ adopt, change, transactions, guardReport, quarantineReport, returnAtOnce, timing, now }),
    refunds: makeRefunds({ adopt, transactions, change, capabilities, audited, now }),
    recordRefundReport: makeRecordRefundReport({ adopt, change, guardReport, quarantineReport, now }),
    advanceRefunds: makeAdvanceRefunds({ transactions, change, network: networkRefunds, timing, now, log }),
    advanceDue: makeAdvanceDue({ transactions, change, network, returnAtOnce, timing, now, log }),
    compareOrders: makeCompareOrders({ orders, transactions, adopt, isBrokerUp, afterMs, now, log, alerts }),
    exportTransitions: makeExportTransitions(pages),
    exportPayments: makeExportPayments(pages, adopt),
  }
}

function createHttp(
  { config, log, metrics, now }: Context,
  { database, broker }: Engines,
  useCases: UseCases,
  { findDowntimes }: Clients,
) {
  const { callers, environment, jwksUrl, networkCallbackKeys: keys } = config
  const { adopt, attempts, searchOrder, recordReport, recordRefundReport, refunds, exportTransitions, exportPayments } = useCases
  const linksOf = makeCheckoutLinks({ publicUrl: config.publicUrl, key: config.checkoutLinkKey })
  const identify = makeIdentify(createInternalTokenVerifier({ jwksUrl, environment, audience: 'payment-status', now }))
  const requireCaller = makeRequireCaller(callers)
  return createApp({
    log,
    metrics,
    checks: [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }],
    hotRoutes: [
      searchRoute({ identify, searchOrder, linksOf, now }),
      callbackRoute('/network/v1/callbacks', recordReport, { keys, now }),
      callbackRoute(REFUND_CALLBACKS_PATH, recordRefundReport, { keys, now }),
    ],
    routes: [
      refundRoutes({ identify, refunds }),
      downtimesRoute({ identify, findDowntimes, now }),
      internalRoutes({ requireCaller, adopt, attempts, linksOf, now }),
      exportRoutes({ requireCaller, exportPayments, exportTransitions }),
    ],
  })
}

function startConsumer({ log }: Context, { broker, topology, publisher, partitions }: Engines, { adopt }: UseCases) {
  const queues = [{ key: 'orderCreated', handlerOf: (queue: string) => handleOrderCreated(adopt, queue) }] as const
  const { consumed } = partitions.counts()
  const shared = { topology, prefetch: 200, isTemporary: isDatabaseFailure, publisher, log }
  return consumePartitions(broker, { ...shared, queues, partitions: consumed })
}

/** Depth and age of the queues that this service consumes, and depth of its dead queue. */
function measureQueues({ metrics, now }: Context, { broker, topology }: Engines, consumer: PartitionConsumers): void {
  const admin = createQueueAdmin(broker)
  queueMetrics(metrics, {
    others: [topology.queues.paymentStatusDead.name],
    depth: (queue) => admin.depth(queue),
    oldestPublishedAtMs: () => consumer.oldestByQueue(),
    now,
  })
}
