import { connectBroker, createPublisher, createQueueAdmin, topology, type Publisher } from '@gateway/messaging'
import {
  createMetrics,
  createSealer,
  masterKeyMetric,
  queueMetrics,
  startWorker,
  type Log,
  type Stoppable,
} from '@gateway/service-kit'
import { listen } from '@gateway/service-kit/http'
import { connectDatabase, waitForIndexes } from '@gateway/service-kit/mongo'
import type { DispatcherConfig } from './config.ts'
import { startConsumers } from './consumers/consumers.ts'
import { createApps } from './http/apps.ts'
import { deliveryMetrics } from './metrics.ts'
import { endpointMetrics } from './endpoint-metrics.ts'
import { noTransitions, paymentStatusTransitions } from './network/payment-status.ts'
import { mongoDeliveries } from './persistence/deliveries.ts'
import { mongoDeliveryLists } from './persistence/delivery-lists.ts'
import { mongoListDeliveriesOf } from './persistence/delivery-ranges.ts'
import { mongoEndpoints } from './persistence/endpoints.ts'
import { indexesFor } from './persistence/indexes.ts'
import { mongoWaitingDeliveries } from './persistence/waiting-deliveries.ts'
import { mongoWaitQueues } from './persistence/wait-queues.ts'
import { brokerWakeUps } from './publishing/wake-ups.ts'
import { makeCheckEndpointUrl } from './sending/endpoint-check.ts'
import { resolveWithSystem, type Resolve } from './sending/guarded-lookup.ts'
import { tracedSend } from './sending/traced-send.ts'
import { createWebhookClient, type SendWebhook } from './sending/webhook-client.ts'
import { wireUseCases } from './use-cases/wire.ts'

/** What a test may put in the place of the real thing. */
export interface Overrides {
  readonly now?: () => Date
  readonly resolve?: Resolve
  readonly send?: (real: SendWebhook) => SendWebhook
  readonly publisher?: (real: Publisher) => Publisher
}

export interface RunningDispatcher {
  readonly port: number
  readonly operatorPort: number
  /** In the order in which they stop: intake off and drained, HTTP, connections, database. */
  readonly parts: readonly Stoppable[]
}

const CONFIRM_TIMEOUT_MS = 5000
const MAX_UNCONFIRMED = 5000

/** Wires the service by hand and starts it: consumers, the sweep, the merchants' routes and the operators'. */
export async function startWebhookDispatcher(
  config: DispatcherConfig,
  log: Log,
  overrides: Overrides = {},
): Promise<RunningDispatcher> {
  const { now = () => new Date(), resolve = resolveWithSystem } = overrides
  const metrics = createMetrics('webhook-dispatcher')
  masterKeyMetric(metrics, config.masterKeys)
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  await waitForIndexes(database, indexesFor(config), { ...config, log, metrics })

  const declared = topology(config.amqpPrefix, config.retryDelaysMs, config.parkDelaysMs)
  const queuesInUse = [...declared.queues.waits, ...declared.queues.parks]
  const waitQueues = mongoWaitQueues(database.connection)
  // Before they are declared: whoever removes what is retired looks here.
  await waitQueues.keep(queuesInUse, now())
  const broker = connectBroker({ url: config.amqpUrl, name: 'webhook-dispatcher', log, topology: declared })
  const realPublisher = createPublisher(broker, { confirmTimeoutMs: CONFIRM_TIMEOUT_MS, maxInFlight: MAX_UNCONFIRMED, log })
  const publisher = overrides.publisher?.(realPublisher) ?? realPublisher

  const queueAdmin = createQueueAdmin(broker)
  const { timeoutMs, allowedHosts, extraCa } = config
  const client = createWebhookClient({ timeoutMs, allowedHosts, extraCa, resolve, now })
  const useCases = wireUseCases({
    config,
    endpoints: mongoEndpoints(database.connection),
    deliveries: mongoDeliveries(database.connection),
    lists: mongoDeliveryLists(database.connection),
    waiting: mongoWaitingDeliveries(database.connection),
    listDeliveriesOf: mongoListDeliveriesOf(database.connection),
    fetchTransitions: config.paymentStatus ? paymentStatusTransitions(config.paymentStatus) : noTransitions,
    waitQueues,
    queuesInUse,
    queueAdmin,
    sealer: createSealer(config.masterKeys),
    send: tracedSend(overrides.send?.(client.send) ?? client.send),
    refusalOf: makeCheckEndpointUrl(resolve, allowedHosts),
    wakeUps: brokerWakeUps(publisher, declared, now),
    canPublish: () => publisher.state === 'up',
    observerOf: (inFlight) => deliveryMetrics(metrics, inFlight),
    endpointObserverOf: (leftAlone) => endpointMetrics(metrics, leftAlone),
    log,
    now,
  })

  const checks = [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }]
  const apps = createApps({ config, useCases, checks, metrics, log, now })
  const http = await listen(apps.merchants, { port: config.port, host: config.host })
  const operators = await listen(apps.operators, { port: config.operatorPort, host: config.host })
  const consumers = startConsumers({ broker, publisher, declared, prefetch: config.prefetch, useCases, log, now })
  const { statusChanged, retries, waits, parks, webhookDispatcherDead } = declared.queues
  queueMetrics(metrics, {
    queues: [statusChanged, retries, ...waits, ...parks, webhookDispatcherDead].map(({ name }) => name),
    depth: (queue) => queueAdmin.depth(queue),
    oldestPublishedAtMs: () => consumers.oldestPublishedAtMs(),
    now,
  })
  const sweep = startWorker({ name: 'sweep', log, step: useCases.sweepOverdue, idleMs: config.sweepIntervalMs })
  const keepQueues = startWorker({ name: 'queues in use', log, step: useCases.keepQueues, idleMs: config.queueHeartbeatMs })
  return {
    port: http.port,
    operatorPort: operators.port,
    parts: [
      consumers,
      sweep,
      keepQueues,
      http,
      { ...operators, name: 'operator-http' },
      { name: 'webhook-client', stop: () => client.close() },
      { name: 'broker', stop: () => broker.close() },
      { name: 'database', stop: () => database.close() },
    ],
  }
}
