import { formatPaise, readSigningSecret, type OrderCreated, type RefundReport } from '@gateway/contracts'
import { silentLog, stopAll } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import { eventually, freePort, jsonClient, type JsonClient } from '@gateway/testkit'
import { indexesOf } from '@gateway-services/network-simulator/persistence/indexes'
import { startNetworkSimulator } from '@gateway-services/network-simulator/service'
import { CALLER_TOKENS, startFixture, type Fixture } from './fixture.ts'
import { CALLBACK_SECRET } from './messages.ts'

const API_KEY = 'n'.repeat(32)

/** payment-status with the simulator as its connector, both in this process. */
export interface SimulatedNetwork {
  readonly fixture: Fixture
  readonly simulator: JsonClient
  /** A paid order of 499 rupees: by UPI with this VPA, or at a bank without a page. */
  paid(by: { vpa: string } | { bank: string }): Promise<OrderCreated['data']>
  /** The refunds of an order in the network's records. */
  ledgerOf(transactionId: string): Promise<RefundReport[]>
  stop(): Promise<void>
}

export async function startWithSimulator(): Promise<SimulatedNetwork> {
  const [port, networkPort] = [await freePort(), await freePort()]
  const at = (where: number): string => `http://127.0.0.1:${where}`
  const fixture = await startFixture(undefined, silentLog, { port, networkUrl: at(networkPort) })
  const { mongoUrl } = fixture.sandbox
  const database = fixture.sandbox.database('network_simulator')
  await buildIndexes({ mongoUrl, database }, indexesOf, silentLog)
  const { parts } = await startNetworkSimulator(
    {
      environment: 'sandbox',
      host: '127.0.0.1',
      port: networkPort,
      logLevel: 'error',
      shutdownDelayMs: 0,
      mongoUrl,
      database,
      publicUrl: at(networkPort),
      callbackUrl: `${at(port)}/network/v1/callbacks`,
      callbackKey: readSigningSecret(CALLBACK_SECRET),
      apiKey: API_KEY,
      paymentStatusUrl: at(port),
      jwksUrl: fixture.jwksUrl,
      serviceToken: CALLER_TOKENS.get('network-simulator')?.[0] ?? '',
      pageTimeoutMs: 300_000,
      upiCollect: false,
      pagesPerSecond: 0,
      trustedProxies: [],
    },
    { log: silentLog },
  )
  const simulator = jsonClient(at(networkPort))
  return {
    fixture,
    simulator,
    async paid(by) {
      const { data } = await fixture.open()
      const { status } = await ('vpa' in by
        ? simulator('POST', '/sandbox/upi/pay', { intent: data.intent, vpa: by.vpa })
        : payAtBank(simulator, data, by.bank))
      expect([201, 202]).toContain(status)
      await eventually(async () => expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success' }))
      return data
    },
    async ledgerOf(transactionId) {
      const { body } = await simulator<{ payments: { refunds: RefundReport[] }[] }>('GET', `/sandbox/payments/${transactionId}`)
      return body.payments.flatMap(({ refunds }) => refunds)
    },
    async stop() {
      await stopAll(silentLog, parts, 10_000)
      await fixture.stop()
    },
  }
}

function payAtBank(simulator: JsonClient, order: OrderCreated['data'], bank: string) {
  const key = `att-${order.transaction_id}`
  const start = {
    attempt_id: key,
    tr: order.transaction_id,
    method: 'netbanking',
    amount: formatPaise(order.amount_paise),
    currency: 'INR',
    description: order.description ?? '',
    return_url: 'https://pay.example/back',
    netbanking: { bank },
  }
  return simulator('POST', '/network/v1/payments', start, { authorization: `Bearer ${API_KEY}`, 'idempotency-key': key })
}
