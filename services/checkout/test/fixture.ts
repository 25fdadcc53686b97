import { createSecretKey } from 'node:crypto'
import { checkoutToken, newTransactionId, type TransactionView } from '@gateway/contracts'
import { silentLog, stopAll, type Log } from '@gateway/service-kit'
import { startJsonServer, type JsonRequest, type JsonServer } from '@gateway/testkit'
import type { Config } from '../src/config.ts'
import { startCheckout } from '../src/service.ts'
import { NETWORK_API_KEY, startFakeNetwork, type FakeNetwork } from './fake-network.ts'
import { SERVICE_TOKEN, paymentStatusAnswer, type Views } from './fake-payment-status.ts'
import { aView } from './transaction-view.ts'

export const LINK_KEY = createSecretKey(Buffer.alloc(32, 3))
/** The gateway's public address. */
export const PUBLIC_URL = 'http://pay.example'

export interface Fixture {
  readonly url: string
  readonly paymentStatus: JsonServer
  readonly network: FakeNetwork
  /** A new payment, and the path of its page. */
  payment(fields?: Partial<TransactionView>): { id: string; path: string }
  /** The view of a payment at payment-status. */
  view(id: string): TransactionView
  /** Changes the view at payment-status. */
  change(id: string, fields: Partial<TransactionView>): void
  /** Makes payment-status answer normally again. */
  restorePaymentStatus(): void
  /** How often the view of a payment was read. */
  pollsOf(id: string): number
  stop(): Promise<void>
}

/** Starts the service in this process, with a fake payment-status and a fake network over real HTTP. */
export async function startFixture(options: { log?: Log; downtimesEveryMs?: number } & Partial<Config> = {}): Promise<Fixture> {
  const { log = silentLog, downtimesEveryMs, ...changed } = options
  const views: Views = new Map()
  const reply = (request: JsonRequest) => paymentStatusAnswer(request, views)
  const [paymentStatus, network] = await Promise.all([startJsonServer(reply), startFakeNetwork()])
  const config: Config = {
    environment: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    logLevel: 'error',
    shutdownDelayMs: 0,
    paymentStatusUrl: paymentStatus.url,
    serviceToken: SERVICE_TOKEN,
    networkUrl: network.url,
    networkApiKey: NETWORK_API_KEY,
    networkUsesProxy: false,
    publicUrl: PUBLIC_URL,
    checkoutLinkKeys: [LINK_KEY],
    ...changed,
  }
  const { port, parts } = await startCheckout(config, { log, ...(downtimesEveryMs !== undefined && { downtimesEveryMs }) })
  const viewOf = (id: string): TransactionView => {
    const view = views.get(id)
    if (!view) throw new Error(`there is no payment ${id}`)
    return view
  }
  return {
    url: `http://127.0.0.1:${port}`,
    paymentStatus,
    network,
    payment(fields = {}) {
      const id = newTransactionId(new Date(), 0)
      views.set(id, aView(id, fields))
      return { id, path: `/checkout/${checkoutToken(id, LINK_KEY)}` }
    },
    view: viewOf,
    change(id, fields) {
      const view = viewOf(id)
      views.set(id, { ...view, ...fields, version: view.version + 1 })
    },
    restorePaymentStatus: () => paymentStatus.answer(reply),
    pollsOf: (id) => paymentStatus.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(id)).length,
    async stop() {
      await stopAll(silentLog, parts, 5000)
      await Promise.all([paymentStatus.stop(), network.stop()])
    },
  }
}
