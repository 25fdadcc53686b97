import { Unavailable } from '@gateway/contracts'
import { Router } from 'express'
import {
  connectBroker,
  consumePartitions,
  createPublisher,
  createQueueAdmin,
  eventTopology,
  type PartitionConsumers,
} from '@gateway/messaging'
import { joinPartitions } from '@gateway/partitions'
import {
  createMetrics,
  isDatabaseFailure,
  makeAudited,
  queueMetrics,
  type HealthCheck,
  type Log,
  type Stoppable,
} from '@gateway/service-kit'
import { auditOperators, createApp, listen, requireOperator } from '@gateway/service-kit/http'
import { noAudit, remoteAudit } from '@gateway/service-kit/http-client'
import { createInternalTokenVerifier, makeIdentify } from '@gateway/service-kit/merchant-auth'
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

/** A large file over a slow line. */
const UPLOAD_TIMEOUT_MS = 15 * 60_000
/** Events a replica has in hand at once. */
const PREFETCH = 400
/** The share of the shutdown deadline for events in hand. */
const DRAIN_SHARE = 0.7

/** Wires the service by hand and starts it: engines, use cases, the consumer, then the merchants' routes. */
export async function startLedger(config: Config, log: Log): Promise<RunningLedger> {
  const context = await createContext(config, log)
  const { database, broker, connection, metrics, now } = context
  const settlements = composeSettlements({ ...context, onCollision: makeOnCollision(context) })
  settlementMetrics(metrics, settlements.stores, now)
  const useCases = createUseCases(context, settlements)
  const replicas = mongoReplicas(connection)
  // The others know of this replica before it takes an event.
  await replicas.share(now(), now())
  const consumer = startConsumer(context, useCases.storeCopy)
  const following = context.partitions.follow({ ...context, consumers: consumer })
  const asOf = makeAsOf({ broker, consumer, now })
  const { host, port, operatorPort } = config
  const http = await listen(createHttp(context, useCases, asOf), { port, host })
  const operators = createOperatorHttp(context, settlements)
  const operatorHttp = await listen(operators, { port: operatorPort, host, requestTimeoutMs: UPLOAD_TIMEOUT_MS })
  return {
    port: http.port,
    operatorPort: operatorHttp.port,
    parts: [
      { name: 'consumer', stop: (deadlineMs) => consumer.stop({ deadlineMs: deadlineMs * DRAIN_SHARE }) },
      shareAsOf({ asOf, replicas, consumer, log, now }),
      following,
      settlements.startImporter(),
      http,
      { ...operatorHttp, name: 'operator-http' },
      { name: 'broker', stop: () => broker.close() },
      { name: 'database', stop: () => database.close() },
    ],
  }
}

/** What every part of the service is made with. */
type Context = Awaited<ReturnType<typeof createContext>>

async function createContext(config: Config, log: Log) {
  const metrics = createMetrics('ledger')
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  await waitForIndexes(database, indexesOf, { ...config, log, metrics })
  const now = (): Date => new Date()
  const { connection } = database
  const partitions = await joinPartitions({ service: 'ledger', connection, log, now })
  const topology = eventTopology(config.amqpPrefix)
  const named = { name: 'ledger', service: 'ledger' } as const
  const broker = connectBroker({ ...named, url: config.amqpUrl, log, topology, partitions: partitions.counts })
  const checks: HealthCheck[] = [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }]
  return { config, log, metrics, now, checks, database, connection, topology, broker, partitions }
}

type UseCases = ReturnType<typeof createUseCases>

function createUseCases({ config, now, connection }: Context, { stores, storeEntries, readSettlements }: SettlementParts) {
  const hashPayer = makeHashPayer(config.payerHashKey)
  const payments = mongoPayments(connection)
  const refunds = mongoRefunds(connection)
  return {
    hashPayer,
    storeCopy: makeStoreCopy(makeStoreCopies({ storeEntries, payments, refunds, hashPayer })),
    listOrders: mongoReadPayments(connection, { now }),
    listRefunds: refunds.list,
    readMoneyEvents: makeReadMoneyEvents(stores.entries.read),
    readTimeline: makeReadTimeline(createTimelineParts(config), payments.findByOrder),
    readSettlements,
  }
}

/** Also measures the queues and how far the ledger is behind them. */
function startConsumer(context: Context, storeCopy: UseCases['storeCopy']): PartitionConsumers {
  const { log, metrics, now, broker, topology, partitions } = context
  const publisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 1000, log })
  const measureLag = lagMetric(metrics, now)
  const queues = [{ key: 'ledgerEvents', handlerOf: (queue: string) => eventsConsumer(storeCopy, queue, measureLag) }] as const
  // A database that is away, or a full queue of copies, says nothing about the event.
  const isTemporary = (error: unknown): boolean => error instanceof Unavailable || isDatabaseFailure(error)
  const shared = { topology, prefetch: PREFETCH, isTemporary, publisher, log }
  const consumer = consumePartitions(broker, { ...shared, queues, partitions: partitions.counts().consumed })
  const admin = createQueueAdmin(broker)
  queueMetrics(metrics, {
    others: [topology.queues.ledgerDead.name],
    depth: (queue) => admin.depth(queue),
    oldestPublishedAtMs: () => consumer.oldestByQueue(),
    now,
  })
  return consumer
}

function createHttp({ config, log, metrics, now, checks }: Context, useCases: UseCases, { published, whole }: AsOf) {
  const { jwksUrl, environment } = config
  const identify = makeIdentify(createInternalTokenVerifier({ jwksUrl, environment, audience: 'ledger', now }))
  return createApp({
    ...{ log, metrics, checks },
    routes: [
      listRoutes({ ...useCases, identify, asOf: published }),
      timelineRoute(identify, useCases.readTimeline),
      reportsRoute({ ...useCases, identify, acquireSlot: createReportSlots(), published, whole }),
      settlementsRoute(identify, useCases.readSettlements),
    ],
  })
}

/** On a port of its own, which the gateway does not know. */
function createOperatorHttp({ config, log, metrics, checks }: Context, { receiveFile, manage }: SettlementParts) {
  const { auditUrl: url, serviceToken: token } = config
  const audited = makeAudited({ append: url === undefined ? noAudit : remoteAudit({ url, token }), log })
  const guard = Router().use('/operator', requireOperator(config.operators), auditOperators(audited))
  return createApp({
    ...{ log, metrics, checks },
    rawRoutes: [guard, uploadRoute(receiveFile, log)],
    routes: [operatorRoutes(manage, log)],
  })
}
