import { createSecretKey, randomBytes } from 'node:crypto'
import { eventTopology, type Publisher } from '@gateway/messaging'
import { silentLog, stopAll, type Log } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import {
  createSandbox,
  eventually,
  jsonClient,
  startProxied,
  startTestTokens,
  type JsonClient,
  type Sandbox,
  type TcpProxy,
} from '@gateway/testkit'
import type { Config } from '../src/config.ts'
import { indexesOf } from '../src/persistence/order-document.ts'
import { startOrderApi, type Overrides } from '../src/service.ts'

export const CALLER_TOKEN = randomBytes(24).toString('hex')

/** The service in this process, on a real database and broker behind proxies that a test can cut. */
export interface Fixture {
  readonly sandbox: Sandbox
  readonly config: Config
  /** Where the service listens. */
  readonly url: string
  readonly queue: string
  readonly databaseProxy: TcpProxy
  readonly brokerProxy: TcpProxy
  /** A client with this merchant's token. */
  as(merchantId: string): Promise<JsonClient>
  /** The header with this merchant's token. */
  authorization(merchantId: string): Promise<Record<string, string>>
  readonly internal: JsonClient
  documents(): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

/** `changes` replace parts of the configuration. */
export async function startFixture(
  publisher?: (real: Publisher) => Publisher,
  log: Log = silentLog,
  changes: Partial<Config> & Pick<Overrides, 'intentSigner'> = {},
): Promise<Fixture> {
  const { intentSigner, ...changed } = changes
  const sandbox = await createSandbox()
  const tokens = await startTestTokens()
  const { url: mongoUrl, proxy: databaseProxy } = await startProxied(sandbox.mongoUrl)
  const { url: amqpUrl, proxy: brokerProxy } = await startProxied(sandbox.amqpUrl)
  const config: Config = {
    environment: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    logLevel: 'info',
    shutdownDelayMs: 0,
    mongoUrl,
    database: sandbox.database('order_api'),
    amqpUrl,
    amqpPrefix: sandbox.amqpPrefix,
    jwksUrl: tokens.jwksUrl,
    callers: new Map([['payment-status', [CALLER_TOKEN]]]),
    queuePartitions: 1,
    publicUrl: 'http://gateway.test',
    checkoutLinkKey: createSecretKey(randomBytes(32)),
    intents: undefined,
    customerRetentionMs: 365 * 86_400_000,
    // Runs once at the start, when there are no orders.
    customerPurgeIntervalMs: 3_600_000,
    limits: { minAmountPaise: 100, maxAmountPaise: 1_000_000_000, upiCap: { defaultPaise: 10_000_000, byMcc: new Map() } },
    ...changed,
  }
  await buildIndexes(config, indexesOf, silentLog)
  const service = await startOrderApi(config, log, { ...(publisher && { publisher }), ...(intentSigner && { intentSigner }) })
  const baseUrl = `http://127.0.0.1:${service.port}`
  // Once the broker is up, the queues are declared.
  const anyone = jsonClient(baseUrl)
  await eventually(async () => expect((await anyone('GET', '/readyz')).body).toMatchObject({ status: 'ok' }))
  return {
    sandbox,
    config,
    url: baseUrl,
    queue: eventTopology(config.amqpPrefix).queues.orderCreated.name,
    databaseProxy,
    brokerProxy,
    authorization: (merchantId) => tokens.authorizationFor({ merchantId }),
    as: async (merchantId) => jsonClient(baseUrl, await tokens.authorizationFor({ merchantId })),
    internal: jsonClient(baseUrl, { authorization: `Bearer ${CALLER_TOKEN}` }),
    documents: () => sandbox.client.db(config.database).collection('orders').find().toArray(),
    async stop() {
      databaseProxy.restore()
      brokerProxy.restore()
      await stopAll(silentLog, service.parts, 10_000)
      await tokens.stop()
      await sandbox.remove([eventTopology(config.amqpPrefix)])
      await Promise.all([databaseProxy.stop(), brokerProxy.stop()])
    },
  }
}
