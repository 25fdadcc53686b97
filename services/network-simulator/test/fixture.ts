import {
  buildUpiIntent,
  networkReport,
  newTransactionId,
  readSigningSecret,
  refundReport,
  SIGNATURE_HEADERS,
  verifySignature,
  type TransactionView,
} from '@gateway/contracts'
import { silentLog, stopAll } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import {
  createSandbox,
  jsonClient,
  newOrderId,
  startJsonServer,
  startTestTokens,
  type JsonClient,
  type JsonRequest,
  type JsonServer,
  type TestTokens,
} from '@gateway/testkit'
import type { Config } from '../src/config.ts'
import { indexesOf } from '../src/persistence/indexes.ts'
import { startNetworkSimulator } from '../src/service.ts'

export const API_KEY = 'network-api-key-of-thirty-two-characters'
export const SERVICE_TOKEN = 'service-token-of-thirty-two-characters'
export const CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** The services and the database that the simulator uses, as test doubles that record requests. */
export interface Dependencies {
  readonly config: Config
  /** The gateway, which receives the callbacks. */
  readonly gateway: JsonServer
  readonly paymentStatus: JsonServer
  /** auth-token, which issues merchants' tokens. */
  readonly tokens: TestTokens
  /** The orders that payment-status knows. */
  readonly views: Map<string, TransactionView>
  /** Makes payment-status answer normally again. */
  restorePaymentStatus(): void
  /** Makes a new order, with the intent that a UPI app reads. */
  order(fields?: Partial<TransactionView>): { tr: string; orderId: string; intent: string }
  /** Callbacks about a transaction so far, in order of arrival. */
  callbacksOf(tr: string): Callback[]
  /** Callbacks about a refund so far, in order of arrival. */
  refundCallbacksOf(refundId: string): Callback[]
  /** All stored payments as JSON, to search for data that must not be stored. */
  stored(): Promise<string>
  stop(): Promise<void>
}

export interface Fixture extends Dependencies {
  readonly url: string
  readonly call: JsonClient
}

export interface Callback {
  readonly messageId: string
  readonly signed: boolean
  readonly report: Record<string, unknown>
}

/** Starts the simulator in this process, with its dependencies. */
export async function startFixture(
  overrides: { callbackTimeoutMs?: number } = {},
  changes: Partial<Config> = {},
): Promise<Fixture> {
  const dependencies = await startDependencies()
  const config = { ...dependencies.config, ...changes }
  const { port, parts } = await startNetworkSimulator(config, { log: silentLog, ...overrides })
  const url = `http://127.0.0.1:${port}`
  return {
    ...dependencies,
    url,
    call: jsonClient(url),
    async stop() {
      // Cut the callbacks in flight, so that the simulator need not wait for them.
      await dependencies.gateway.stop()
      await stopAll(silentLog, parts, 10_000)
      await dependencies.stop()
    },
  }
}

/** Starts a gateway and payment-status over real HTTP, and creates a database. */
export async function startDependencies(): Promise<Dependencies> {
  const sandbox = await createSandbox()
  const tokens = await startTestTokens()
  const views = new Map<string, TransactionView>()
  const gateway = await startJsonServer(() => ({ status: 200 }))
  const answer = (request: JsonRequest) => answerView(request, views)
  const paymentStatus = await startJsonServer(answer)
  const config: Config = {
    environment: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    logLevel: 'error',
    shutdownDelayMs: 0,
    mongoUrl: sandbox.mongoUrl,
    database: sandbox.database('network_simulator'),
    publicUrl: 'http://bank.test',
    callbackUrl: `${gateway.url}/network/v1/callbacks`,
    callbackKey: readSigningSecret(CALLBACK_SECRET),
    apiKey: API_KEY,
    pagesPerSecond: 0,
    trustedProxies: ['loopback'],
    paymentStatusUrl: paymentStatus.url,
    jwksUrl: tokens.jwksUrl,
    serviceToken: SERVICE_TOKEN,
    pageTimeoutMs: 300_000,
    upiCollect: true,
  }
  await buildIndexes(config, indexesOf, silentLog)
  return {
    config,
    gateway,
    paymentStatus,
    tokens,
    views,
    restorePaymentStatus: () => paymentStatus.answer(answer),
    order(fields = {}) {
      const view = aView(fields)
      views.set(view.id, view)
      return { tr: view.id, orderId: view.order_id, intent: intentOf(view.id, view.amount) }
    },
    callbacksOf: (tr) => callbacksTo(gateway, PAYMENTS, networkReport).filter(({ report }) => report['tr'] === tr),
    refundCallbacksOf: (id) => callbacksTo(gateway, REFUNDS, refundReport).filter(({ report }) => report['refund_id'] === id),
    async stored() {
      const found = await sandbox.client.db(config.database).collection('payments').find().toArray()
      return JSON.stringify(found)
    },
    async stop() {
      await gateway.stop()
      await paymentStatus.stop()
      await tokens.stop()
      await sandbox.remove([])
    },
  }
}

export function intentOf(tr: string, amount: string): string {
  return buildUpiIntent({
    payeeVpa: 'shop@sandbox',
    payeeName: 'Test Shop',
    mcc: '5411',
    transactionId: tr,
    amount,
    note: 'Blue shirt',
  })
}

function aView(fields: Partial<TransactionView>): TransactionView {
  return {
    id: newTransactionId(new Date(), 0),
    order_id: newOrderId(),
    merchant: { id: 'M1', name: 'Test Shop' },
    ...{ amount: '499.00', currency: 'INR', description: 'Blue shirt', return_url: null, checkout: null },
    ...{ methods: ['upi', 'card', 'netbanking'], method: null, rrn: null },
    ...{ status: 'Initiate', closing: null, failure_reason: null, sequence: 0, version: 1 },
    ...{ attempts: [], attempts_left: 3, payable: true },
    created_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 600_000).toISOString(),
    ...fields,
  }
}

function answerView(
  { path, headers }: JsonRequest,
  views: ReadonlyMap<string, TransactionView>,
): { status: number; body?: unknown } {
  if (headers['authorization'] !== `Bearer ${SERVICE_TOKEN}`) return { status: 401 }
  const [last = '', merchantId] = path.split('/').reverse()
  const isAsked = ({ order_id, merchant }: TransactionView): boolean => order_id === last && merchant.id === merchantId
  const view = path.includes('/by-order-id/') ? [...views.values()].find(isAsked) : views.get(last)
  return view ? { status: 200, body: view } : { status: 404 }
}

const PAYMENTS = '/network/v1/callbacks'
const REFUNDS = '/network/v1/callbacks/refunds'

/** Parses callbacks as the gateway does. A body that does not match the contract fails the test. */
function callbacksTo({ requests }: JsonServer, to: string, schema: { parse(body: unknown): object }): Callback[] {
  return requests.filter(({ path }) => path === to).map((request) => readCallback(request, schema.parse(request.body)))
}

function readCallback({ headers, rawBody }: JsonRequest, report: object): Callback {
  const header = (name: string): string => String(headers[name])
  const messageId = header(SIGNATURE_HEADERS.id)
  const message = {
    id: messageId,
    timestamp: header(SIGNATURE_HEADERS.timestamp),
    signature: header(SIGNATURE_HEADERS.signature),
    body: rawBody,
  }
  const signed = verifySignature(message, [readSigningSecret(CALLBACK_SECRET)], new Date())
  return { messageId, signed, report: { ...report } }
}
