import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectBroker, createPublisher, createQueueAdmin, topology, type Publisher } from '@gateway/messaging'
import { joinPartitions, type Partitions } from '@gateway/partitions'
import {
  createMetrics,
  createSealer,
  makeAudited,
  masterKeyMetric,
  queueMetrics,
  startWorker,
  stoppedTogether,
  type Log,
  type Stoppable,
} from '@gateway/service-kit'
import { listen } from '@gateway/service-kit/http'
import { noAudit, remoteAudit } from '@gateway/service-kit/http-client'
import { connectDatabase, makeCheckSlot, untilDatabaseAnswers, waitForIndexes } from '@gateway/service-kit/mongo'
import type { DispatcherConfig } from './config.ts'
import { brokerRetryPublisher, makeResend, startConsumers } from './delivering/index.ts'
import { createListenSecrets, makeFindEndpoint } from './endpoints/index.ts'
import type { StreamLimits } from './listening/index.ts'
import { makeRetiredQueues, mongoDelayQueues, type DelayQueues } from './operating/index.ts'
import {
  createResolver,
  createWebhookClient,
  makeCheckEndpointUrl,
  type Resolve,
  type SendWebhook,
  tracedSend,
} from './sending/index.ts'
import { composeDelivering } from './wiring/delivering.ts'
import { indexesFor } from './wiring/indexes.ts'
import { createMerchantApp } from './wiring/merchant-app.ts'
import { createOperatorApp } from './wiring/operator-app.ts'
import { createStore, type Parts } from './wiring/parts.ts'

/** Replacements for tests. */
export interface Overrides {
  readonly now?: () => Date
  readonly resolve?: Resolve
  readonly send?: (real: SendWebhook) => SendWebhook
  readonly publisher?: (real: Publisher) => Publisher
  readonly listenLimits?: StreamLimits
}

export interface RunningDispatcher {
  readonly port: number
  readonly operatorPort: number
  /** In the order in which they stop: intake off and drained, HTTP, connections, database. */
  readonly parts: readonly Stoppable[]
}

const CONFIRM_TIMEOUT_MS = 5000
const MAX_UNCONFIRMED = 5000
/** A replica that has not named its queues this many times in a row no longer uses them. */
const MISSED_HEARTBEATS = 4

/** Wires the service by hand and starts it: consumers, workers, the merchants' routes and the operators' routes. */
export async function startWebhookDispatcher(
  config: DispatcherConfig,
  log: Log,
  overrides: Overrides = {},
): Promise<RunningDispatcher> {
  const { now = () => new Date() } = overrides
  const metrics = createMetrics('webhook-dispatcher')
  masterKeyMetric(metrics, config.masterKeys)
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  await waitForIndexes(database, indexesFor(config), { ...config, log, metrics })
  const delayQueues = mongoDelayQueues(database.connection)
  const partitions = await joinPartitions({ service: 'webhook-dispatcher', connection: database.connection, log, now })
  const messaging = await connectMessaging(config, { delayQueues, partitions, overrides, log, now })
  const { declared, inUse, broker, publisher, admin } = messaging

  const clients = createClients(config, overrides, now)
  const append = config.auditLog ? remoteAudit(config.auditLog) : noAudit
  const store = createStore(database.connection, config.prefetch, makeCheckSlot(metrics, 'deliveries', log))
  const sealer = createSealer(config.masterKeys)
  const listenSecrets = createListenSecrets({ ...store, sealer, randomBytes })
  const shared = { ...store, config, sealer, listenSecrets, send: clients.send, audited: makeAudited({ append, log }), log, now }
  const findEndpoint = makeFindEndpoint(shared)
  const retries = brokerRetryPublisher(publisher, declared, now)
  const parts: Parts = {
    ...shared,
    findEndpoint,
    retries,
    resend: makeResend({ ...shared, findEndpoint, retries }),
    async waitUntil(instantMs) {
      await sleep(Math.max(0, instantMs - now().getTime()))
    },
  }
  const delivering = composeDelivering(parts, metrics, () => publisher.state === 'up')
  const times = { unusedAfterMs: MISSED_HEARTBEATS * config.queueHeartbeatMs, restMs: config.queueRestMs }
  const retiredQueues = makeRetiredQueues({ delayQueues, admin, inUse, times, log, now })

  const checks = [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }]
  const { refusalOf } = clients
  const { sendTestEvent, sweepOverdue } = delivering
  const served = { refusalOf, sendTestEvent, listenLimits: overrides.listenLimits, retiredQueues, checks, metrics }
  const merchants = createMerchantApp(parts, served)
  const http = await listen(merchants.app, { port: config.port, host: config.host })
  const operatorHttp = await listen(createOperatorApp(parts, served), { port: config.operatorPort, host: config.host })
  const numbers = { prefetch: config.prefetch, partitions: partitions.counts().consumed }
  const consumers = startConsumers({ broker, publisher, declared, ...numbers, ...delivering, log, now })
  const following = partitions.follow({ broker, topology: declared, consumers: consumers.firstAttempts, metrics })
  queueMetrics(metrics, {
    others: [...inUse, declared.queues.webhookDispatcherDead].map(({ name }) => name),
    depth: (queue) => admin.depth(queue),
    oldestPublishedAtMs: () => consumers.oldestPublishedAtMs(),
    now,
  })
  const sweep = startWorker({ name: 'sweep', log, step: sweepOverdue, idleMs: config.sweepIntervalMs })
  const keepQueues = () => retiredQueues.keep().then(() => false)
  const queueHeartbeat = startWorker({ name: 'queues in use', log, step: keepQueues, idleMs: config.queueHeartbeatMs })
  return {
    port: http.port,
    operatorPort: operatorHttp.port,
    parts: [
      stoppedTogether(consumers, ...(merchants.listen ? [merchants.listen] : [])),
      sweep,
      queueHeartbeat,
      following,
      http,
      { ...operatorHttp, name: 'operator-http' },
      { name: 'webhook-client', stop: () => clients.close() },
      { name: 'broker', stop: () => broker.close() },
      { name: 'database', stop: () => database.close() },
    ],
  }
}

interface Stored {
  readonly delayQueues: DelayQueues
  readonly partitions: Partitions
  readonly overrides: Overrides
  readonly log: Log
  readonly now: () => Date
}

async function connectMessaging(config: DispatcherConfig, { delayQueues, partitions, overrides, log, now }: Stored) {
  const declared = topology(config.amqpPrefix, config.retryDelaysMs, config.parkDelaysMs)
  const inUse = [...declared.queues.waits, ...declared.queues.parks]
  // Before they are declared, so that no operator's `retired-queues --remove` removes them.
  await untilDatabaseAnswers(() => delayQueues.keep(inUse, now()), { what: 'note the queues in use', log })
  const broker = connectBroker({
    url: config.amqpUrl,
    name: 'webhook-dispatcher',
    service: 'webhook-dispatcher',
    log,
    topology: declared,
    partitions: partitions.counts,
  })
  const realPublisher = createPublisher(broker, { confirmTimeoutMs: CONFIRM_TIMEOUT_MS, maxInFlight: MAX_UNCONFIRMED, log })
  const publisher = overrides.publisher?.(realPublisher) ?? realPublisher
  return { declared, inUse, broker, publisher, admin: createQueueAdmin(broker) }
}

/** Outbound calls to merchants' servers. */
function createClients(config: DispatcherConfig, overrides: Overrides, now: () => Date) {
  const { timeoutMs, allowedHosts, endpointPorts, extraCa, dnsServers: servers } = config
  const rules = { allowedHosts, ports: endpointPorts }
  const { resolve = createResolver({ servers, allowedHosts }), send } = overrides
  const webhooks = createWebhookClient({ timeoutMs, rules, extraCa, resolve, now })
  return {
    send: tracedSend(send?.(webhooks.send) ?? webhooks.send),
    refusalOf: makeCheckEndpointUrl(resolve, rules),
    close: () => webhooks.close(),
  }
}
