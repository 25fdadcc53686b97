import { createSecretKey, randomBytes } from 'node:crypto'
import mongoose from 'mongoose'
import { newTransactionId, type ExportedPayment, type Scope } from '@gateway/contracts'
import { connectBroker, createPublisher, createQueueAdmin, eventTopology } from '@gateway/messaging'
import { silentLog, stopAll } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import { eventually, jsonClient, startJsonServer, startTestTokens, type JsonClient, type JsonServer } from '@gateway/testkit'
import {
  CALLER_TOKENS,
  startFixture as startPaymentStatus,
  type Fixture as PaymentStatus,
} from '@gateway-services/payment-status/testing'
import type { Config } from '../src/config.ts'
import { indexesOf } from '../src/indexes.ts'
import { mongoEntries, type Entries } from '../src/reconciliation/persistence/entries.ts'
import type { Payment } from '../src/lists/domain/payment.ts'
import { startLedger } from '../src/service.ts'

export const SERVICE_TOKEN = CALLER_TOKENS.get('ledger')?.[0] ?? ''
const OPERATOR_TOKEN = 'operator-token-of-the-integration-tests'

/** The ledger in this process beside a real payment-status, on a real database and broker; webhook-dispatcher is a small server. */
export interface Fixture {
  readonly config: Config
  readonly payerHashKey: string
  readonly paymentStatus: PaymentStatus
  readonly dispatcher: JsonServer
  /** In place of auth-token, which keeps the audit. */
  readonly audit: JsonServer
  readonly queues: { readonly events: string; readonly dead: string }
  readonly baseUrl: string
  /** The headers of a merchant's request. */
  authorize(merchantId: string, scopes?: readonly Scope[]): Promise<{ authorization: string }>
  /** The operators' API. */
  readonly operatorUrl: string
  readonly operator: JsonClient
  as(merchantId: string, scopes?: readonly Scope[]): Promise<JsonClient>
  /** Publishes an event with this copy of a payment, as payment-status does. */
  publish(copy: ExportedPayment, publishedAt?: Date): Promise<void>
  publishRaw(routingKey: string, body: string, publishedAt?: Date): Promise<void>
  /** Publishes copies of payments and waits until the ledger has the payments. */
  store(copies: readonly ExportedPayment[]): Promise<void>
  /** The ledger's database. */
  readonly connection: mongoose.Connection
  readonly entries: Entries
  stored(): Promise<Payment[]>
  find(transactionId: string): Promise<Payment | undefined>
  stop(): Promise<void>
}

export async function startFixture(): Promise<Fixture> {
  const paymentStatus = await startPaymentStatus()
  const { sandbox } = paymentStatus
  const [tokens, audit, dispatcher] = await Promise.all([
    startTestTokens(),
    startJsonServer(() => ({ status: 204 })),
    startJsonServer(() => ({ status: 200, body: { events: [] } })),
  ])
  const payerHashKey = randomBytes(32).toString('base64')
  const config: Config = {
    environment: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    operatorPort: 0,
    operators: new Map([['asha', [OPERATOR_TOKEN]]]),
    maxFileBytes: 4 * 1024 * 1024,
    rules: { captureBusinessDays: 2, refundDays: 7, reversalDays: 5, holidays: new Set(), since: undefined },
    logLevel: 'info',
    shutdownDelayMs: 0,
    tracing: undefined,
    mongoUrl: sandbox.mongoUrl,
    database: sandbox.database('ledger'),
    amqpUrl: sandbox.amqpUrl,
    amqpPrefix: sandbox.amqpPrefix,
    jwksUrl: tokens.jwksUrl,
    paymentStatusUrl: paymentStatus.baseUrl,
    webhookDispatcherUrl: dispatcher.url,
    auditUrl: audit.url,
    serviceToken: SERVICE_TOKEN,
    payerHashKey: createSecretKey(Buffer.from(payerHashKey, 'base64')),
  }
  await buildIndexes(config, indexesOf, silentLog)
  const service = await startLedger(config, silentLog)
  const baseUrl = `http://127.0.0.1:${service.port}`
  const operatorUrl = `http://127.0.0.1:${service.operatorPort}`
  const client = jsonClient(baseUrl)
  await eventually(async () => expect((await client('GET', '/readyz')).body).toMatchObject({ status: 'ok' }))

  const declared = eventTopology(config.amqpPrefix)
  const broker = connectBroker({ url: sandbox.amqpUrl, name: 'test', log: silentLog, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: 1000, log: silentLog })
  await eventually(() => expect(publisher.state).toBe('up'))
  const publishRaw = (routingKey: string, body: string, publishedAt = new Date()): Promise<void> =>
    publisher.publish({
      exchange: declared.exchanges.events.name,
      routingKey,
      messageId: randomBytes(6).toString('hex'),
      type: routingKey,
      correlationId: 'test',
      body,
      timestampMs: publishedAt.getTime(),
    })
  const connection = await mongoose.createConnection(sandbox.mongoUrl, { dbName: config.database }).asPromise()
  // Longer than a test file takes on a busy machine.
  const authorize = async (merchantId: string, scopes?: readonly Scope[]) => ({
    authorization: `Bearer ${await tokens.tokenFor({ merchantId, ...(scopes && { scopes }) }, { expiresInSeconds: 900 })}`,
  })
  const payments = sandbox.client.db(config.database).collection<Payment>('payments')
  const stored = (): Promise<Payment[]> => payments.find({}).sort({ _id: 1 }).toArray()
  const publish = (payment: ExportedPayment, publishedAt?: Date) => {
    const event = { occurred_at: new Date().toISOString(), correlation_id: 'c', data: { payment } }
    return publishRaw('transaction.status-changed', JSON.stringify(event), publishedAt)
  }

  return {
    config,
    payerHashKey,
    paymentStatus,
    dispatcher,
    audit,
    queues: { events: declared.queues.ledgerEvents.name, dead: declared.queues.ledgerDead.name },
    baseUrl,
    operatorUrl,
    operator: jsonClient(operatorUrl, { authorization: `Bearer ${OPERATOR_TOKEN}` }),
    authorize,
    as: async (merchantId, scopes) => jsonClient(baseUrl, await authorize(merchantId, scopes)),
    publish,
    publishRaw,
    async store(copies) {
      await Promise.all(copies.map((copy) => publish(copy)))
      await eventually(async () => {
        const ids = new Set((await stored()).map(({ _id }) => _id.split(':')[1]))
        expect(copies.filter(({ transaction_id }) => !ids.has(transaction_id))).toEqual([])
      })
    },
    connection,
    entries: mongoEntries(connection),
    stored,
    find: async (transactionId) => (await stored()).find(({ _id }) => _id.endsWith(`:${transactionId}`)),
    async stop() {
      await stopAll(silentLog, service.parts, 15_000)
      const admin = createQueueAdmin(broker)
      for (const { name } of [declared.queues.ledgerEvents, declared.queues.ledgerDead]) await admin.remove(name)
      await broker.close()
      await connection.close()
      await Promise.all([tokens.stop(), audit.stop(), dispatcher.stop()])
      await paymentStatus.stop()
    },
  }
}

/** The copy of a payment that was created at this time; a test overrides the fields that it is about. */
export function aCopy(fields: Partial<ExportedPayment> = {}, createdAt = new Date()): ExportedPayment {
  const transaction_id = fields.transaction_id ?? newTransactionId(createdAt, 0)
  return {
    transaction_id,
    order_id: `ORD-${transaction_id}`,
    ...{ merchant_id: 'M1', sequence: 1, version: 1, status: 'Initiate', amount_paise: 49_900, method: null },
    ...{ rrn: null, failure_reason: null, failure_code: null, payer_vpa: null, created_at: createdAt.toISOString() },
    ...{ final_at: null, captures: [], reversals: [], refunds: [] },
    rrns: fields.rrn ? [fields.rrn] : [],
    ...fields,
  }
}
