import {
  checkoutToken,
  formatSigningSecret,
  readSigningSecret,
  type OrderCreated,
  type TransactionView,
} from '@gateway/contracts'
import { silentLog, stopAll, type Stoppable } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import { createSandbox, freePort, jsonClient, startJsonServer, startTestTokens } from '@gateway/testkit'
import { eventTopology } from '@gateway/messaging'
import { indexesOf as paymentIndexes } from '@gateway-services/network-simulator/persistence/indexes'
import { startNetworkSimulator } from '@gateway-services/network-simulator/service'
import { indexesOf as transactionIndexes } from '@gateway-services/payment-status/payments/persistence/transaction-document'
import { startPaymentStatus } from '@gateway-services/payment-status/service'
import { anOrderCreated } from '@gateway-services/payment-status/testing'
import { startCheckout } from '../src/service.ts'
import { LINK_KEY } from './fixture.ts'

const SECRET = 'a-secret-of-more-than-thirty-two-characters'
const SIMULATOR_TOKEN = 'a-token-of-more-than-thirty-two-characters'
const callbackKey = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 7)))

/** The real services around the page, and orders for them. */
export interface World {
  readonly url: string
  order(data?: Partial<OrderCreated['data']>): { id: string; path: string }
  view(id: string): Promise<TransactionView>
  stop(): Promise<void>
}

/** Starts checkout, payment-status and the simulator in this process, with a fake order-api. */
export async function startWorld(): Promise<World> {
  const [sandbox, tokens] = await Promise.all([createSandbox(), startTestTokens()])
  const orders = new Map<string, OrderCreated>()
  const orderApi = await startJsonServer(({ path }) => {
    const found = orders.get(path.split('/').at(-1) ?? '')
    return found ? { status: 200, body: found } : { status: 404, body: { code: 'order_not_found' } }
  })
  const [statusPort, networkPort, checkoutPort] = [await freePort(), await freePort(), await freePort()]
  const at = (port: number): string => `http://127.0.0.1:${port}`
  const common = {
    environment: 'sandbox',
    host: '127.0.0.1',
    logLevel: 'error',
    shutdownDelayMs: 0,
    auditUrl: undefined,
    serviceToken: SECRET,
  } as const
  const network = {
    networkUrl: at(networkPort),
    networkApiKey: SECRET,
    networkUsesProxy: false,
    publicUrl: at(checkoutPort),
    checkoutLinkKey: LINK_KEY,
  }
  const stored = { mongoUrl: sandbox.mongoUrl, jwksUrl: tokens.jwksUrl }
  const broker = { amqpUrl: sandbox.amqpUrl, amqpPrefix: sandbox.amqpPrefix }
  const timing = {
    enquiryDelaysMs: [200],
    upiEnquiryDelaysMs: undefined,
    enquiryGraceMs: 300,
    enquiryGiveUpMs: 10_000,
    finalEnquiryDelaysMs: [60_000],
    reversalDelaysMs: [200],
    refundDelaysMs: [200],
  }
  const { mongoUrl } = sandbox
  const [statusDatabase, networkDatabase] = [sandbox.database('payment_status'), sandbox.database('network_simulator')]
  await buildIndexes({ mongoUrl, database: statusDatabase }, transactionIndexes, silentLog)
  await buildIndexes({ mongoUrl, database: networkDatabase }, paymentIndexes, silentLog)
  const status = await startPaymentStatus(
    {
      ...common,
      ...network,
      ...stored,
      ...broker,
      port: statusPort,
      database: statusDatabase,
      orderApiUrl: orderApi.url,
      networkCallbackKeys: [callbackKey],
      orderComparisonAfterMs: 86_400_000,
      queuePartitions: 1,
      callers: new Map([
        ['checkout', [SECRET]],
        ['network-simulator', [SIMULATOR_TOKEN]],
      ]),
      timing,
    },
    silentLog,
  )
  const simulator = await startNetworkSimulator(
    {
      ...common,
      ...stored,
      port: networkPort,
      database: networkDatabase,
      publicUrl: at(networkPort),
      callbackUrl: `${at(statusPort)}/network/v1/callbacks`,
      callbackKey,
      apiKey: SECRET,
      paymentStatusUrl: at(statusPort),
      pageTimeoutMs: 300_000,
      upiCollect: false,
      pagesPerSecond: 0,
      trustedProxies: [],
      serviceToken: SIMULATOR_TOKEN,
    },
    { log: silentLog },
  )
  const checkout = await startCheckout(
    { ...common, ...network, checkoutLinkKeys: [LINK_KEY], port: checkoutPort, paymentStatusUrl: at(statusPort) },
    { log: silentLog },
  )
  const parts: Stoppable[] = [...checkout.parts, ...simulator.parts, ...status.parts]
  const internal = jsonClient(at(statusPort), { authorization: `Bearer ${SECRET}` })
  return {
    url: at(checkoutPort),
    order(data = {}) {
      const order = anOrderCreated({ description: 'Blue shirt', ...data })
      const id = order.data.transaction_id
      orders.set(id, order)
      return { id, path: `/checkout/${checkoutToken(id, LINK_KEY)}` }
    },
    view: async (id) => (await internal<TransactionView>('GET', `/internal/v1/transactions/${id}`)).body,
    async stop() {
      await stopAll(silentLog, parts, 10_000)
      await Promise.all([orderApi.stop(), tokens.stop()])
      await sandbox.remove([eventTopology(sandbox.amqpPrefix)])
    },
  }
}
