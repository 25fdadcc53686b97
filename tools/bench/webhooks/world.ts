import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TransactionStatusChanged } from '@gateway/contracts'
import { connectBroker, createPublisher, createQueueAdmin, topology, type Publisher, type Topology } from '@gateway/messaging'
import { readConfig, silentLog } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import { createCa, eventually, freePort, jsonClient, startTestTokens } from '@gateway/testkit'
import { readDispatcherConfig, type DispatcherConfig } from '@gateway-services/webhook-dispatcher/config'
import { indexesFor } from '@gateway-services/webhook-dispatcher/persistence/indexes'
import { startDispatcher, type DispatcherProcess } from './dispatcher-process.ts'
import { merchantOf } from './events.ts'
import { createPlace, type Place } from './place.ts'
import { startReceiver, type ReceiverProcess } from './receiver-process.ts'

export interface WorldOptions {
  readonly endpoints: number
  /** Beside what a dispatcher is told here. */
  readonly env?: Readonly<Record<string, string>>
  readonly nodeArgs?: readonly string[]
  /** Another way to the broker. */
  readonly amqpUrl?: string
}

/** Everything around the dispatcher, real, under names of its own, with every endpoint registered. */
export interface World {
  readonly endpoints: number
  readonly place: Place
  readonly declared: Topology
  readonly receiver: ReceiverProcess
  readonly ca: string
  /** What a dispatcher here makes of its environment. */
  readonly config: Readonly<DispatcherConfig>
  /** Its output is in `logFile`. */
  startDispatcher(more?: Readonly<Record<string, string>>): Promise<DispatcherProcess>
  readonly logFile: string
  /** As payment-status publishes; resolves when the broker has stored it. */
  publish(event: TransactionStatusChanged): Promise<void>
  /** Messages that wait for their first attempt; with no dispatcher running, those too that were not acknowledged. */
  waiting(): Promise<number>
  remove(): Promise<void>
}

const MAX_UNCONFIRMED = 50_000

/** Uses the database and the broker of `MONGO_URL` and `AMQP_URL`. */
export async function createWorld({ endpoints, env = {}, nodeArgs = [], amqpUrl }: WorldOptions): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-webhooks-'))
  const place = await createPlace(amqpUrl)
  const [ca, tokens] = await Promise.all([createCa('Benchmark authority'), startTestTokens()])
  const receiver = await startReceiver(ca, endpoints)
  await writeFile(join(directory, 'ca.pem'), ca.cert)
  const logFile = join(directory, 'dispatcher.log')
  const environment: Record<string, string> = {
    ENVIRONMENT: 'sandbox',
    OPERATOR_PORT: '0',
    SHUTDOWN_DELAY: '0s',
    MONGO_URL: place.mongoUrl,
    DATABASE: place.database,
    AMQP_URL: place.amqpUrl,
    AMQP_PREFIX: place.amqpPrefix,
    JWKS_URL: tokens.jwksUrl,
    INTERNAL_API_TOKEN: randomBytes(32).toString('base64url'),
    MASTER_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    OPERATOR_TOKEN: randomBytes(32).toString('base64url'),
    WEBHOOK_ALLOWED_HOSTS: 'localhost',
    WEBHOOK_CA_FILE: join(directory, 'ca.pem'),
    ...env,
  }
  const config = readConfig(environment, readDispatcherConfig)
  await buildIndexes(config, indexesFor(config), silentLog)
  const declared = topology(place.amqpPrefix, config.retryDelaysMs, config.parkDelaysMs)
  const broker = connectBroker({ url: place.amqpUrl, name: 'bench', log: silentLog, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: MAX_UNCONFIRMED, log: silentLog })
  const queues = createQueueAdmin(broker)
  await eventually(() => {
    if (publisher.state !== 'up') throw new Error('the broker is away')
  })
  const world: World = {
    endpoints,
    place,
    declared,
    receiver,
    ca: ca.cert,
    config,
    logFile,
    startDispatcher: async (more) =>
      startDispatcher({ env: { ...environment, ...more }, port: await freePort(), logFile, nodeArgs }),
    publish: (event) => publish(publisher, declared, event),
    waiting: async () => (await queues.depth(declared.queues.statusChanged.name)) ?? 0,
    async remove() {
      receiver.stop()
      await Promise.all([broker.close(), tokens.stop()])
      await place.remove(declared)
      await rm(directory, { recursive: true })
    },
  }
  await registerEndpoints(world, (merchantId) => tokens.authorizationFor({ merchantId }))
  return world
}

/** As merchants do it, at a dispatcher that is there for nothing else. */
async function registerEndpoints(
  world: World,
  authorize: (merchantId: string) => Promise<Record<string, string>>,
): Promise<void> {
  const { receiver, endpoints } = world
  const dispatcher = await world.startDispatcher()
  const numbers = Array.from({ length: endpoints }, (_, endpoint) => endpoint)
  await Promise.all(
    numbers.map(async (endpoint) => {
      const api = jsonClient(dispatcher.url, await authorize(merchantOf(endpoint)))
      const { status } = await api('PUT', '/api/v1/webhooks/endpoint', { url: receiver.urls[endpoint] })
      if (status !== 200) throw new Error(`endpoint ${endpoint} was not registered: status ${status}`)
    }),
  )
  await dispatcher.stop()
}

async function publish(publisher: Publisher, { exchanges }: Topology, event: TransactionStatusChanged): Promise<void> {
  await publisher.publish({
    exchange: exchanges.events.name,
    routingKey: event.type,
    messageId: event.id,
    type: event.type,
    correlationId: event.correlation_id,
    body: JSON.stringify(event),
    timestampMs: Date.now(),
  })
}
