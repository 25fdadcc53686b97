import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TransactionStatusChanged } from '@gateway/contracts'
import { connectBroker, createPublisher, createQueueAdmin, topology } from '@gateway/messaging'
import { readConfig, silentLog } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import { eventually, freePort, jsonClient, removeNames, startTestTokens } from '@gateway/testkit'
import { ensureCa } from '@gateway-infra/local/secrets'
import { ROOT } from '@gateway-infra/system/paths'
import { readDispatcherConfig } from '@gateway-services/webhook-dispatcher/config'
import { indexesFor } from '@gateway-services/webhook-dispatcher/wiring/indexes'
import { openReceiver } from '@gateway-tools/load/receiver'
import { killServices, startService } from '@gateway-tools/load/service-process'
import { unlessStopped } from '@gateway-infra/system/stopping'
import { merchantOf } from './events.ts'

/** Everything around the dispatcher, real, under names of its own, with every endpoint registered. */
export type World = Awaited<ReturnType<typeof openWorld>>

const MAX_UNCONFIRMED = 50_000

interface WorldOptions {
  readonly mongoUrl: string
  readonly amqpUrl: string
  readonly endpoints: number
  /** For the dispatchers' Node. */
  readonly nodeArgs: readonly string[]
  /** The processes of database and broker; none when this machine does not run them. */
  readonly enginePids: readonly number[]
}

/** Creates a world for `work`, and removes it with its data afterwards, or when this process is asked to stop. */
export async function withWorld<T>(options: WorldOptions, work: (world: World) => Promise<T>): Promise<T> {
  await using undo = new AsyncDisposableStack()
  const world = await openWorld(options, undo)
  return await unlessStopped(async () => {
    await registerEndpoints(world)
    return work(world)
  })
}

async function openWorld({ mongoUrl, amqpUrl, endpoints, nodeArgs, enginePids }: WorldOptions, undo: AsyncDisposableStack) {
  const directory = await mkdtemp(join(tmpdir(), 'bench-webhooks-'))
  undo.defer(() => rm(directory, { recursive: true }))
  const id = `bench${randomBytes(4).toString('hex')}`
  const [ca, tokens] = await Promise.all([ensureCa(directory), startTestTokens()])
  undo.defer(() => tokens.stop())
  const receiver = await openReceiver({ ca_file: ca.certFile, ca_key_file: ca.keyFile }, endpoints)
  undo.defer(() => receiver.close())
  const env: Record<string, string> = {
    ENVIRONMENT: 'sandbox',
    OPERATOR_PORT: '0',
    SHUTDOWN_DELAY: '0s',
    MONGO_URL: mongoUrl,
    DATABASE: `${id}_webhook_dispatcher`,
    AMQP_URL: amqpUrl,
    AMQP_PREFIX: `${id}.`,
    JWKS_URL: tokens.jwksUrl,
    SERVICE_TOKEN: randomBytes(32).toString('base64url'),
    MASTER_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    OPERATOR_TOKEN: randomBytes(32).toString('base64url'),
    WEBHOOK_ALLOWED_HOSTS: 'localhost',
    WEBHOOK_CA_FILE: ca.certFile,
  }
  const config = readConfig(env, readDispatcherConfig)
  await buildIndexes(config, indexesFor(config), silentLog)
  const declared = topology(config.amqpPrefix, config.retryDelaysMs, config.parkDelaysMs)
  undo.defer(() => removeNames({ mongoUrl, amqpUrl }, { databasePrefix: id, amqpPrefix: config.amqpPrefix }, [declared]))
  const broker = connectBroker({ url: amqpUrl, name: 'bench', log: silentLog, topology: declared })
  undo.defer(() => broker.close())
  undo.defer(killServices)
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: MAX_UNCONFIRMED, log: silentLog })
  const queues = createQueueAdmin(broker)
  await eventually(() => {
    if (publisher.state !== 'up') throw new Error('the broker does not answer')
  })
  const service = { service: 'webhook-dispatcher', readyStates: ['ok'], nodeArgs } as const
  const logFile = join(directory, 'dispatcher.log')
  return {
    ...{ endpoints, receiver, tokens, enginePids },
    /** The configuration of every dispatcher here. */
    config,
    startDispatcher: async (root = ROOT) => startService({ ...service, root, logFile, env, port: await freePort() }),
    /** As payment-status publishes; resolves when the broker has stored it. */
    publish(event: TransactionStatusChanged): Promise<void> {
      const { id: messageId, type, correlation_id: correlationId } = event
      const message = { exchange: declared.exchanges.events.name, routingKey: type, messageId, type, correlationId }
      return publisher.publish({ ...message, body: JSON.stringify(event), timestampMs: Date.now() })
    },
    /** Messages that wait for their first attempt; without a running dispatcher, also those that were not acknowledged. */
    waiting: async () => (await queues.depth(declared.queues.statusChanged.name)) ?? 0,
  }
}

/** As merchants do it, at a dispatcher that is there for nothing else. */
async function registerEndpoints({ receiver, startDispatcher, tokens }: World): Promise<void> {
  const dispatcher = await startDispatcher()
  await Promise.all(
    receiver.urls.map(async (url, endpoint) => {
      const api = jsonClient(dispatcher.url, await tokens.authorizationFor({ merchantId: merchantOf(endpoint) }))
      const { status } = await api('PUT', '/api/v1/webhooks/endpoint', { url })
      if (status !== 200) throw new Error(`endpoint ${endpoint} was not registered: status ${status}`)
    }),
  )
  await dispatcher.stop()
}

/** Rejects unless every message of the emptied queue was acknowledged to the broker. */
export async function expectEmptyQueue({ waiting }: World): Promise<void> {
  // After a fault this connection may still be about to reconnect.
  const left = await eventually(waiting)
  if (left > 0) throw new Error(`${left} messages were not acknowledged to the broker`)
}
