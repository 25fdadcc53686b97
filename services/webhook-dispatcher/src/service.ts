import { setTimeout as sleep } from 'node:timers/promises'
import { connectBroker, createPublisher, createQueueAdmin, topology, type Publisher } from '@gateway/messaging'
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
import { connectDatabase, untilDatabaseAnswers, waitForIndexes } from '@gateway/service-kit/mongo'
import { makeCheckEndpointUrl } from './clients/webhook/endpoint-check.ts'
import type { Resolve } from './clients/webhook/guarded-lookup.ts'
import { createResolver } from './clients/webhook/resolver.ts'
import { tracedSend } from './clients/webhook/traced-send.ts'
import { createWebhookClient, type SendWebhook } from './clients/webhook/webhook-client.ts'
import { composeDelivering } from './compose/delivering.ts'
import { composeListening } from './compose/listening.ts'
import { composeMerchants } from './compose/merchants.ts'
import { composeOperators } from './compose/operators.ts'
import { createStore, type Parts } from './compose/parts.ts'
import type { DispatcherConfig } from './config.ts'
import { startConsumers } from './consumers/consumers.ts'
import { makeFindEndpoint } from './endpoint-directory/find-endpoint.ts'
import { createApps } from './http/apps.ts'
import type { StreamLimits } from './http/listen-stream.ts'
import { indexesFor } from './persistence/indexes.ts'
import { mongoWaitQueues } from './persistence/wait-queues.ts'
import { brokerRetryPublisher } from './publishing/retry-publisher.ts'
import { makeListDeliveries } from './use-cases/list-deliveries.ts'
import { makeReadTimeline } from './use-cases/read-timeline.ts'
import { makeResend } from './use-cases/resend.ts'

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
  const waitQueues = mongoWaitQueues(database.connection)
  const messaging = await connectMessaging(config, { waitQueues, overrides, log, now })
  const { broker, publisher, declared, queueAdmin } = messaging

  const clients = createClients(config, overrides, now)
  const append = config.auditLog ? remoteAudit(config.auditLog) : noAudit
  const audited = makeAudited({ append, log })
  const parts = composeParts(config, {
    ...messaging,
    store: createStore(database.connection, config.prefetch),
    send: clients.send,
    audited,
    log,
    now,
  })
  const delivering = composeDelivering(parts, metrics, () => publisher.state === 'up')
  const operators = composeOperators(parts, { waitQueues, inUse: messaging.queuesInUse, admin: queueAdmin })
  const useCases = {
    ...composeMerchants(parts, clients.refusalOf),
    ...operators,
    sendTestEvent: delivering.sendTestEvent,
    listDeliveries: makeListDeliveries(parts.lists),
    openListenSession: composeListening(parts, metrics),
    ...(overrides.listenLimits && { limits: overrides.listenLimits }),
    readTimeline: makeReadTimeline(parts.findDeliveriesOf),
  }

  const checks = [database.check, { name: 'broker', critical: false, isUp: () => broker.state === 'up' }]
  const apps = createApps({ config, useCases, checks, metrics, audited, log, now })
  const http = await listen(apps.merchants, { port: config.port, host: config.host })
  const operatorHttp = await listen(apps.operators, { port: config.operatorPort, host: config.host })
  const consumers = startConsumers({ broker, publisher, declared, prefetch: config.prefetch, ...delivering, log, now })
  const { statusChanged, refundChanged, retries, waits, parks, webhookDispatcherDead } = declared.queues
  queueMetrics(metrics, {
    queues: [statusChanged, refundChanged, retries, ...waits, ...parks, webhookDispatcherDead].map(({ name }) => name),
    depth: (queue) => queueAdmin.depth(queue),
    oldestPublishedAtMs: () => consumers.oldestPublishedAtMs(),
    now,
  })
  const sweep = startWorker({ name: 'sweep', log, step: delivering.sweepOverdue, idleMs: config.sweepIntervalMs })
  const keepQueues = async (): Promise<false> => {
    await operators.retiredQueues.keep()
    return false
  }
  const queueHeartbeat = startWorker({ name: 'queues in use', log, step: keepQueues, idleMs: config.queueHeartbeatMs })
  return {
    port: http.port,
    operatorPort: operatorHttp.port,
    parts: [
      stoppedTogether(consumers, ...(apps.listen ? [apps.listen] : [])),
      sweep,
      queueHeartbeat,
      http,
      { ...operatorHttp, name: 'operator-http' },
      { name: 'webhook-client', stop: () => clients.close() },
      { name: 'broker', stop: () => broker.close() },
      { name: 'database', stop: () => database.close() },
    ],
  }
}

interface Shared {
  readonly log: Log
  readonly now: () => Date
}

async function connectMessaging(
  config: DispatcherConfig,
  { waitQueues, overrides, log, now }: Shared & { waitQueues: ReturnType<typeof mongoWaitQueues>; overrides: Overrides },
) {
  const declared = topology(config.amqpPrefix, config.retryDelaysMs, config.parkDelaysMs)
  const queuesInUse = [...declared.queues.waits, ...declared.queues.parks]
  // Before they are declared, so that no operator's `retired-queues --remove` removes them.
  await untilDatabaseAnswers(() => waitQueues.keep(queuesInUse, now()), { what: 'note the queues in use', log })
  const broker = connectBroker({
    url: config.amqpUrl,
    name: 'webhook-dispatcher',
    service: 'webhook-dispatcher',
    log,
    topology: declared,
  })
  const realPublisher = createPublisher(broker, { confirmTimeoutMs: CONFIRM_TIMEOUT_MS, maxInFlight: MAX_UNCONFIRMED, log })
  const publisher = overrides.publisher?.(realPublisher) ?? realPublisher
  const retries = brokerRetryPublisher(publisher, declared, now)
  return { declared, queuesInUse, broker, publisher, retries, queueAdmin: createQueueAdmin(broker) }
}

/** Outbound calls to merchants' servers. */
function createClients(config: DispatcherConfig, overrides: Overrides, now: () => Date) {
  const { timeoutMs, allowedHosts, endpointPorts, extraCa, dnsServers: servers } = config
  const rules = { allowedHosts, ports: endpointPorts }
  const { resolve = createResolver({ servers }), send } = overrides
  const webhooks = createWebhookClient({ timeoutMs, rules, extraCa, resolve, now })
  return {
    send: tracedSend(send?.(webhooks.send) ?? webhooks.send),
    refusalOf: makeCheckEndpointUrl(resolve, rules),
    close: () => webhooks.close(),
  }
}

function composeParts(
  config: DispatcherConfig,
  {
    store,
    send,
    retries,
    audited,
    log,
    now,
  }: Shared & Pick<Parts, 'send' | 'retries' | 'audited'> & { store: ReturnType<typeof createStore> },
): Parts {
  const sealer = createSealer(config.masterKeys)
  const findEndpoint = makeFindEndpoint({ endpoints: store.endpoints, sealer })
  const resend = makeResend({ deliveries: store.deliveries, findEndpoint, retries, log, now })
  const waitUntil = async (instantMs: number): Promise<void> => {
    await sleep(Math.max(0, instantMs - now().getTime()))
  }
  return { ...store, config, findEndpoint, sealer, send, retries, resend, audited, log, now, waitUntil }
}
