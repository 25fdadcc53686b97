import { randomBytes } from 'node:crypto'
import { connectBroker, consume, createPublisher, topology } from '@gateway/messaging'
import type { Broker, IncomingMessage, Publisher, Queue, Topology } from '@gateway/messaging'
import { readConfig, silentLog, stopAll, type Log } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import {
  createCa,
  createSandbox,
  eventually,
  jsonClient,
  startTestTokens,
  startWebhookReceiver,
  type JsonClient,
  type KeyAndCertificate,
  type Sandbox,
  type TestTokens,
  type WebhookReceiver,
} from '@gateway/testkit'
import { readDispatcherConfig, type DispatcherConfig } from '../src/config.ts'
import type { WebhookEvent } from '../src/deliveries/domain/webhook.ts'
import type { DeliveryDocument } from '../src/deliveries/persistence/delivery-document.ts'
import { indexesFor } from '../src/wiring/indexes.ts'
import { startWebhookDispatcher, type Overrides, type RunningDispatcher } from '../src/service.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-integration-tests'
export const log: Log = silentLog

/** A real broker, database and receiver for the dispatcher, with names of their own. */
export interface Fixture {
  readonly sandbox: Sandbox
  readonly ca: KeyAndCertificate
  readonly receiver: WebhookReceiver
  readonly declared: Topology
  readonly publisher: Publisher
  readonly database: string
  /** The environment of a dispatcher in a process of its own. */
  env(more?: Record<string, string>): Record<string, string>
  config(more?: Partial<DispatcherConfig>): DispatcherConfig
  start(overrides?: Overrides, more?: Partial<DispatcherConfig>): Promise<RunningDispatcher>
  stop(dispatcher: RunningDispatcher): Promise<void>
  /** Calls the dispatcher like the gateway, for this merchant. */
  as(dispatcher: Pick<RunningDispatcher, 'port'>, merchantId: string): Promise<JsonClient>
  authorizationFor: TestTokens['authorizationFor']
  operator(dispatcher: Pick<RunningDispatcher, 'operatorPort'>): JsonClient
  /** Publishes like payment-status. */
  publish(event: WebhookEvent): Promise<void>
  delivery(id: string): Promise<DeliveryDocument | null>
  /** Waits until the delivery's record has this status, and returns it. */
  deliveryIs(id: string, status: DeliveryDocument['status'], deadlineMs?: number): Promise<DeliveryDocument>
  /** Removes the next message from a queue and returns it. */
  take(queue: Queue): Promise<IncomingMessage>
  /** Waits until every queue of the dispatcher is empty, including its dead queue. */
  queuesAreEmpty(): Promise<void>
  remove(): Promise<void>
}

export const RETRY_DELAYS_MS = [200, 400, 600]
const PARK_DELAYS_MS = [100, 300, 800]

/** @param retryDelaysMs the schedule of every dispatcher here */
export async function startFixture(retryDelaysMs: readonly number[] = RETRY_DELAYS_MS): Promise<Fixture> {
  const sandbox = await createSandbox()
  const ca = await createCa()
  const [receiver, tokens] = await Promise.all([startWebhookReceiver({ ca }), startTestTokens()])
  const declared = topology(sandbox.amqpPrefix, retryDelaysMs, PARK_DELAYS_MS)
  const broker = connectBroker({ url: sandbox.amqpUrl, name: 'test', log, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: 1000, log })
  await broker.publishing.connected()
  const fixture = assemble({ retryDelaysMs, sandbox, ca, receiver, tokens, declared, broker, publisher })
  const config = fixture.config()
  await buildIndexes(config, indexesFor(config), log)
  return fixture
}

interface Parts {
  readonly retryDelaysMs: readonly number[]
  readonly sandbox: Sandbox
  readonly ca: KeyAndCertificate
  readonly receiver: WebhookReceiver
  readonly tokens: TestTokens
  readonly declared: Topology
  readonly broker: Broker
  readonly publisher: Publisher
}

function assemble({ retryDelaysMs, sandbox, ca, receiver, tokens, declared, broker, publisher }: Parts): Fixture {
  const database = sandbox.database('webhook_dispatcher')
  const masterKeys = `k1:${randomBytes(32).toString('base64')}`
  const running = new Set<RunningDispatcher>()
  const records = sandbox.client.db(database).collection<DeliveryDocument>('deliveries')
  const delivery = (id: string) => records.findOne({ _id: id })
  const env = (more: Record<string, string> = {}): Record<string, string> => ({
    ENVIRONMENT: 'sandbox',
    PORT: '0',
    OPERATOR_PORT: '0',
    SHUTDOWN_DELAY: '0s',
    MONGO_URL: sandbox.mongoUrl,
    DATABASE: database,
    AMQP_URL: sandbox.amqpUrl,
    AMQP_PREFIX: sandbox.amqpPrefix,
    JWKS_URL: tokens.jwksUrl,
    MASTER_KEYS: masterKeys,
    OPERATOR_TOKEN,
    WEBHOOK_RETRY_DELAYS: retryDelaysMs.map((delayMs) => `${delayMs}ms`).join(','),
    WEBHOOK_PARK_DELAYS: PARK_DELAYS_MS.map((delayMs) => `${delayMs}ms`).join(','),
    WEBHOOK_BREAKER_FIRST_OPEN: '300ms',
    WEBHOOK_BREAKER_MAX_OPEN: '800ms',
    WEBHOOK_ALLOWED_HOSTS: 'localhost,127.0.0.1',
    WEBHOOK_PORTS: 'any',
    // A slow machine must not turn an answer into a timeout.
    WEBHOOK_TIMEOUT: '15s',
    WEBHOOK_CLAIM_MARGIN: '500ms',
    SWEEP_OVERDUE: '1s',
    SWEEP_INTERVAL: '200ms',
    ...more,
  })
  const config: Fixture['config'] = (more) => ({ ...readConfig(env(), readDispatcherConfig), extraCa: [ca.cert], ...more })
  const stop: Fixture['stop'] = async (dispatcher) => {
    running.delete(dispatcher)
    await stopAll(log, dispatcher.parts, 5000)
  }
  return {
    sandbox,
    ca,
    receiver,
    declared,
    publisher,
    database,
    env,
    config,
    stop,
    delivery,
    async start(overrides, more) {
      const dispatcher = await startWebhookDispatcher(config(more), log, overrides)
      running.add(dispatcher)
      return dispatcher
    },
    authorizationFor: (merchant) => tokens.authorizationFor(merchant),
    as: async ({ port }, merchantId) => jsonClient(`http://127.0.0.1:${port}`, await tokens.authorizationFor({ merchantId })),
    operator: ({ operatorPort }) => jsonClient(`http://127.0.0.1:${operatorPort}`, { authorization: `Bearer ${OPERATOR_TOKEN}` }),
    publish: (event) =>
      publisher.publish({
        exchange: declared.exchanges.events.name,
        routingKey: event.type,
        messageId: event.id,
        type: event.type,
        correlationId: event.correlation_id,
        body: JSON.stringify(event),
        timestampMs: Date.now(),
      }),
    deliveryIs: (id, status, deadlineMs = 30_000) =>
      eventually(
        async () => {
          const found = await delivery(id)
          if (found?.status !== status) throw new Error(`${id} is ${found?.status ?? 'not there'}, not ${status}`)
          return found
        },
        { deadlineMs },
      ),
    async take(queue) {
      const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
      const handle = async (message: IncomingMessage) => {
        resolve(message)
        return 'ack' as const
      }
      const consumer = consume(broker, { queue, prefetch: 1, handle, publisher, log })
      const message = await promise
      await consumer.stop({ deadlineMs: 1000 })
      return message
    },
    queuesAreEmpty: () =>
      eventually(async () => {
        const { statusChanged, refundChanged, retries, waits, parks, webhookDispatcherDead } = declared.queues
        for (const queue of [statusChanged, refundChanged, retries, ...waits, ...parks, webhookDispatcherDead])
          expect([queue.name, await sandbox.messageCount(queue.name)]).toEqual([queue.name, 0])
      }),
    async remove() {
      for (const dispatcher of running) await stop(dispatcher)
      await broker.close()
      await Promise.all([receiver.stop(), tokens.stop()])
      await sandbox.remove([declared])
    },
  }
}
