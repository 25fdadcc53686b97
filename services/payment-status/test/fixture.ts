import { createSecretKey, randomBytes } from 'node:crypto'
import {
  readSigningSecret,
  SERVICE_NAMES,
  type GatewayService,
  type MerchantService,
  type NetworkReport,
  type OrderCreated,
  type Scope,
  type TransactionStatusChanged,
} from '@gateway/contracts'
import { connectBroker, createPublisher, eventTopology, type Publisher } from '@gateway/messaging'
import { silentLog, stopAll, type Log } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import {
  createSandbox,
  eventually,
  jsonClient,
  startJsonServer,
  startProxied,
  startTestTokens,
  type JsonAnswer,
  type JsonClient,
  type JsonServer,
  type Sandbox,
  type TcpProxy,
} from '@gateway/testkit'
import type { Config } from '../src/config.ts'
import { indexesOf } from '../src/payments/persistence/transaction-document.ts'
import { startPaymentStatus } from '../src/service.ts'
import { anOrderCreated, answerAsOrderApi, CALLBACK_SECRET, sendReport } from './messages.ts'

export { anOrderCreated }

const newToken = () => randomBytes(24).toString('hex')
/** A token of every service, as if all of them called payment-status. */
export const CALLER_TOKENS: ReadonlyMap<GatewayService, readonly string[]> = new Map(
  SERVICE_NAMES.map((name) => [name, [newToken()]]),
)

/** The service in this process, on a real database and broker behind proxies; order-api and the network are small servers. */
export interface Fixture {
  readonly sandbox: Sandbox
  readonly config: Config
  readonly jwksUrl: string
  /** Where the service listens. */
  readonly url: string
  readonly queues: Readonly<Record<'orders' | 'events' | 'refundEvents' | 'dead', string>>
  readonly orderApi: JsonServer
  /** auth-token, which keeps the audit. */
  readonly audit: JsonServer
  readonly network: JsonServer
  readonly databaseProxy: TcpProxy
  readonly brokerProxy: TcpProxy
  readonly baseUrl: string
  /** The internal routes, as checkout calls them. */
  readonly internal: JsonClient
  internalAs(service: GatewayService): JsonClient
  /** Calls with an internal token of this merchant: for this service alone or, by default, for every service. */
  as(merchantId: string, scopes?: readonly Scope[], audience?: MerchantService): Promise<JsonClient>
  /** The `authorization` header of a merchant, for another replica. */
  authorize(merchantId: string, scopes?: readonly Scope[], audience?: MerchantService): Promise<Record<string, string>>
  /** Publishes `order.created` and waits until the transaction is there. */
  open(data?: Partial<OrderCreated['data']>): Promise<OrderCreated>
  /** The orders that order-api has; a test of adoption puts its order here. */
  readonly known: Map<string, OrderCreated>
  /** Sends a callback, signed as the network signs. */
  report(fields: Partial<NetworkReport> & { tr: string }): Promise<JsonAnswer<unknown>>
  publish(body: string): Promise<void>
  document(transactionId: string): Promise<Record<string, unknown> | null>
  /** The status changes that were published so far about a transaction, each id once. */
  events(transactionId: string): Promise<TransactionStatusChanged[]>
  stop(): Promise<void>
}

/** Short, so that tests see every step of the schedule. */
export const TIMING: Config['timing'] = {
  enquiryDelaysMs: [100, 200],
  upiEnquiryDelaysMs: undefined,
  enquiryGraceMs: 500,
  enquiryGiveUpMs: 3000,
  finalEnquiryDelaysMs: [500, 1000],
  reversalDelaysMs: [100],
  refundDelaysMs: [100],
}

/** `changes` replace parts of the configuration, such as the network's address. */
export async function startFixture(
  override?: (real: Publisher) => Publisher,
  log: Log = silentLog,
  changes: Partial<Config> = {},
): Promise<Fixture> {
  const sandbox = await createSandbox()
  const tokens = await startTestTokens()
  const { url: mongoUrl, proxy: databaseProxy } = await startProxied(sandbox.mongoUrl)
  const { url: amqpUrl, proxy: brokerProxy } = await startProxied(sandbox.amqpUrl)
  const known = new Map<string, OrderCreated>()
  const orderApi = await startJsonServer(({ path, body }) => answerAsOrderApi(known, path, body))
  const audit = await startJsonServer(() => ({ status: 204 }))
  const network = await startJsonServer(({ query }) => ({ status: 200, body: { tr: query.get('tr'), payments: [] } }))
  const config: Config = {
    environment: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    logLevel: 'info',
    shutdownDelayMs: 0,
    mongoUrl,
    database: sandbox.database('payment_status'),
    amqpUrl,
    amqpPrefix: sandbox.amqpPrefix,
    jwksUrl: tokens.jwksUrl,
    orderApiUrl: orderApi.url,
    networkUrl: network.url,
    networkApiKey: 'n'.repeat(32),
    networkUsesProxy: false,
    networkCallbackKeys: [readSigningSecret(CALLBACK_SECRET)],
    auditUrl: audit.url,
    serviceToken: newToken(),
    callers: CALLER_TOKENS,
    queuePartitions: 1,
    publicUrl: 'http://gateway.test',
    checkoutLinkKey: createSecretKey(randomBytes(32)),
    // No test waits for it, except the one of the comparison.
    orderComparisonAfterMs: 86_400_000,
    timing: TIMING,
    ...changes,
  }
  await buildIndexes(config, indexesOf, silentLog)
  const service = await startPaymentStatus(config, log, override ? { publisher: override } : {})
  const declared = eventTopology(config.amqpPrefix)
  const queues = {
    orders: declared.queues.orderCreated.name,
    events: declared.queues.statusChanged.name,
    refundEvents: declared.queues.refundChanged.name,
    dead: declared.queues.paymentStatusDead.name,
  }
  const baseUrl = `http://127.0.0.1:${service.port}`
  const client = jsonClient(baseUrl)
  const internalAs = (service: GatewayService) =>
    jsonClient(baseUrl, { authorization: `Bearer ${String(CALLER_TOKENS.get(service)?.[0])}` })
  await eventually(async () => expect((await client('GET', '/readyz')).body).toMatchObject({ status: 'ok' }))

  const broker = connectBroker({ url: sandbox.amqpUrl, name: 'test', log: silentLog, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: 100, log: silentLog })
  await eventually(() => expect(publisher.state).toBe('up'))
  const publish = (body: string): Promise<void> =>
    publisher.publish({
      exchange: declared.exchanges.events.name,
      routingKey: 'order.created',
      messageId: randomBytes(6).toString('hex'),
      type: 'order.created',
      correlationId: 'test',
      body,
      timestampMs: Date.now(),
    })
  const transactions = sandbox.client.db(config.database).collection<{ _id: string }>('transactions')
  const document = (transactionId: string) => transactions.findOne({ _id: transactionId })
  const seen = new Map<string, TransactionStatusChanged>()
  const authorize: Fixture['authorize'] = (merchantId, scopes, audience) =>
    tokens.authorizationFor({ merchantId, ...(scopes ? { scopes } : {}) }, audience)

  return {
    sandbox,
    config,
    jwksUrl: tokens.jwksUrl,
    url: baseUrl,
    queues,
    orderApi,
    audit,
    network,
    databaseProxy,
    brokerProxy,
    known,
    publish,
    document,
    baseUrl,
    internal: internalAs('checkout'),
    internalAs,
    as: async (merchantId, scopes, audience) => jsonClient(baseUrl, await authorize(merchantId, scopes, audience)),
    authorize,
    async open(data) {
      const created = anOrderCreated(data)
      known.set(created.data.transaction_id, created)
      await publish(JSON.stringify(created))
      await eventually(async () => expect(await document(created.data.transaction_id)).not.toBeNull())
      return created
    },
    report: (fields) => sendReport(client, fields),
    async events(transactionId) {
      for (const event of await sandbox.takeAll<TransactionStatusChanged>(queues.events)) seen.set(event.id, event)
      return [...seen.values()]
        .filter(({ data }) => data.transaction_id === transactionId)
        .sort((one, other) => one.data.sequence - other.data.sequence)
    },
    async stop() {
      databaseProxy.restore()
      brokerProxy.restore()
      await stopAll(silentLog, service.parts, 15_000)
      await broker.close()
      await Promise.all([tokens.stop(), orderApi.stop(), audit.stop(), network.stop()])
      await sandbox.remove([declared])
      await Promise.all([databaseProxy.stop(), brokerProxy.stop()])
    },
  }
}
