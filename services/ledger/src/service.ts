import { Unavailable } from '@gateway/contracts'
import type { RequestListener } from 'node:http'
import { Router } from 'express'
import { connectBroker, consume, createPublisher, createQueueAdmin, ledgerTopology, type Consumer } from '@gateway/messaging'
import {
  createMetrics,
  isDatabaseFailure,
  makeAudited,
  queueMetrics,
  type HealthCheck,
  type Log,
  type Metrics,
  type Stoppable,
} from '@gateway/service-kit'
import { auditOperators, createApp, listen, requireOperator } from '@gateway/service-kit/http'
import { noAudit, remoteAudit } from '@gateway/service-kit/http-client'
import { createInternalTokenVerifier, makeRequireMerchant } from '@gateway/service-kit/merchant-auth'
import { connectDatabase, waitForIndexes } from '@gateway/service-kit/mongo'
import type { Config } from './config.ts'
import { eventsConsumer, lagMetric, makeStoreCopies, makeStoreCopy } from './copying/index.ts'
import { makeAsOf, mongoReplicas, shareAsOf, type AsOf } from './freshness/index.ts'
import { indexesOf } from './indexes.ts'
import { listRoutes, makeHashPayer, mongoPayments, mongoReadPayments, mongoRefunds } from './lists/index.ts'
import {
  composeSettlements,
  makeOnCollision,
  operatorRoutes,
  settlementMetrics,
  settlementsRoute,
  uploadRoute,
  type SettlementParts,
} from './reconciliation/index.ts'
import { createReportSlots, makeReadMoneyEvents, reportsRoute } from './reports/index.ts'
import { createTimelineParts, makeReadTimeline, timelineRoute } from './timelines/index.ts'

export interface RunningLedger {
  readonly port: number
  readonly operatorPort: number
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

/** A large file over a slow line. */
const UPLOAD_TIMEOUT_MS = 15 * 60_000
/** Events a replica has in hand at once. */
const PREFETCH = 400
/** The share of the shutdown deadline for events in hand. */
const DRAIN_SHARE = 0.7

/** Wires the service by hand and starts it: engines, use cases, the consumer, then the merchants' routes. */
export async function startLedger(config: Config, log: Log): Promise<RunningLedger> {
  const context: Context = { config, log, metrics: createMetrics('ledger'), now: () => new Date() }
  const engines = await connectEngines(context)
  const onCollision = makeOnCollision(context)
  const settlements = composeSettlements({ ...context, onCollision, connection: engines.database.connection })
  settlementMetrics(context.metrics, { ...settlements, now: context.now })
  const useCases = createUseCases(context, engines, settlements)
  const replicas = mongoReplicas(engines.database.connection)
  // The others know of this replica before it takes an event.
  await replicas.share(context.now(), context.now())
  const consumer = startConsumer(context, engines, useCases)
  const asOf = makeAsOf({ ...context, ...engines, consumer })
  const { host, port, operatorPort } = config
  const http = await listen(createHttp(context, engines, useCases, asOf), { port, host })
  const operators = createOperatorHttp(context, engines, useCases)
  const operatorHttp = await listen(operators, { port: operatorPort, host, requestTimeoutMs: UPLOAD_TIMEOUT_MS })
  const importer = settlements.startImporter()
  const sharing = shareAsOf({ ...context, asOf, replicas, consumer })
  const parts = inStoppingOrder({ consumer, sharing, http, operatorHttp, importer, engines })
  return { port: http.port, operatorPort: operatorHttp.port, parts }
}

type Engines = Awaited<ReturnType<typeof connectEngines>>

async function connectEngines({ config, log, metrics }: Context) {
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  await waitForIndexes(database, indexesOf, { ...config, log, metrics })
  const topology = ledgerTopology(config.amqpPrefix)
  const broker = connectBroker({ url: config.amqpUrl, name: 'ledger', service: 'ledger', log, topology })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 1000, log })
  return { database, topology, broker, publisher }
}

type UseCases = ReturnType<typeof createUseCases>

function createUseCases({ config, now }: Context, { database: { connection } }: Engines, settlements: SettlementParts) {
  const hashPayer = makeHashPayer(config.payerHashKey)
  const payments = mongoPayments(connection)
  const refunds = mongoRefunds(connection)
  return {
    ...settlements,
    hashPayer,
    storeCopy: makeStoreCopy(makeStoreCopies({ ...settlements, payments, refunds, hashPayer })),
    listOrders: mongoReadPayments(connection, { now }),
    listRefunds: refunds.list,
    readMoneyEvents: makeReadMoneyEvents(settlements.readEntries),
    readTimeline: makeReadTimeline({ parts: createTimelineParts(config), findByOrder: payments.findByOrder }),
  }
}

/** Also measures the queue and how far the ledger is behind it. */
function startConsumer(
  { log, metrics, now }: Context,
  { broker, topology, publisher }: Engines,
  { storeCopy }: UseCases,
): Consumer {
  const { events, dead } = topology.queues.ledger
  const handle = eventsConsumer({ storeCopy, queue: events.name, stored: lagMetric(metrics, now) })
  // A database that is away, or a full queue of copies, says nothing about the event.
  const isTemporary = (error: unknown): boolean => error instanceof Unavailable || isDatabaseFailure(error)
  const consumer = consume(broker, { queue: events, prefetch: PREFETCH, handle, isTemporary, publisher, log })
  const admin = createQueueAdmin(broker)
  queueMetrics(metrics, {
    queues: [events.name, dead.name],
    depth: (queue) => admin.depth(queue),
    oldestPublishedAtMs: () => [{ queue: events.name, atMs: consumer.oldestPublishedAtMs }],
    now,
  })
  return consumer
}

function createHttp({ config, log, metrics, now }: Context, engines: Engines, useCases: UseCases, { published, whole }: AsOf) {
  const { jwksUrl, environment } = config
  const verify = createInternalTokenVerifier({ jwksUrl, environment, audience: 'ledger', now })
  const requireMerchant = makeRequireMerchant(verify)
  return createApp({
    log,
    metrics,
    checks: checksOf(engines),
    routes: [
      listRoutes({ ...useCases, requireMerchant, asOf: published }),
      timelineRoute({ ...useCases, requireMerchant }),
      reportsRoute({ ...useCases, requireMerchant, acquireSlot: createReportSlots(), published, whole }),
      settlementsRoute({ ...useCases, requireMerchant }),
    ],
  })
}

/** On a port of its own, which the gateway does not know. */
function createOperatorHttp({ config, log, metrics }: Context, engines: Engines, useCases: UseCases): RequestListener {
  const audited = makeAudited({ append: config.auditLog ? remoteAudit(config.auditLog) : noAudit, log })
  const guard = Router().use('/operator', requireOperator(config.operators), auditOperators(audited))
  return createApp({
    log,
    metrics,
    checks: checksOf(engines),
    rawRoutes: [guard, uploadRoute({ ...useCases, log })],
    routes: [operatorRoutes({ ...useCases, log })],
  })
}

function checksOf({ database, broker }: Engines): HealthCheck[] {
  return [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }]
}

/** Intake off and drained, then the connections. */
function inStoppingOrder(parts: {
  consumer: Consumer
  sharing: Stoppable
  http: Stoppable
  operatorHttp: Stoppable
  importer: Stoppable
  engines: Engines
}): Stoppable[] {
  const { consumer, sharing, http, operatorHttp, importer, engines } = parts
  const { broker, database } = engines
  return [
    { name: 'consumer', stop: (deadlineMs) => consumer.stop({ deadlineMs: deadlineMs * DRAIN_SHARE }) },
    sharing,
    importer,
    http,
    { ...operatorHttp, name: 'operator-http' },
    { name: 'broker', stop: () => broker.close() },
    { name: 'database', stop: () => database.close() },
  ]
}
