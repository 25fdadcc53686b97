import { checkoutToken, newTransactionId, type TransactionView } from '@gateway/contracts'
import { silentLog, stopAll, type Log } from '@gateway/service-kit'
import { startJsonServer, type JsonReply, type JsonRequest, type JsonServer } from '@gateway/testkit'
import type { Config } from '../src/config.ts'
import { startCheckout } from '../src/service.ts'
import { aView } from './a-view.ts'

export const INTERNAL_API_TOKEN = 'internal-api-token-of-thirty-two-characters'
export const LINK_KEY = Buffer.alloc(32, 3)

export interface Fixture {
  readonly url: string
  readonly paymentStatus: JsonServer
  /** A new payment, and the path of its page. */
  payment(fields?: Partial<TransactionView>): { id: string; path: string }
  /** Changes what payment-status says. */
  change(id: string, fields: Partial<TransactionView>): void
  /** Lets payment-status answer again as it did at first. */
  restorePaymentStatus(): void
  /** How often a payment was asked for. */
  looksAt(id: string): number
  stop(): Promise<void>
}

/** The page in this process, with payment-status over real HTTP. */
export async function startFixture({ log = silentLog }: { log?: Log } = {}): Promise<Fixture> {
  const views = new Map<string, TransactionView>()
  const reply = (request: JsonRequest) => answer(request, views)
  const paymentStatus = await startJsonServer(reply)
  const config: Config = {
    environment: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    logLevel: 'error',
    paymentStatusUrl: paymentStatus.url,
    internalApiToken: INTERNAL_API_TOKEN,
    checkoutLinkKey: LINK_KEY,
  }
  const { port, parts } = await startCheckout(config, { log })
  return {
    url: `http://127.0.0.1:${port}`,
    paymentStatus,
    payment(fields = {}) {
      const id = newTransactionId(new Date())
      views.set(id, aView(id, fields))
      return { id, path: `/checkout/${checkoutToken(id, LINK_KEY)}` }
    },
    change(id, fields) {
      const view = views.get(id)
      if (view) views.set(id, { ...view, ...fields, version: view.version + 1 })
    },
    restorePaymentStatus: () => paymentStatus.answer(reply),
    looksAt: (id) => paymentStatus.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(id)).length,
    async stop() {
      await stopAll(silentLog, parts, 5000)
      await paymentStatus.stop()
    },
  }
}

function answer({ method, path, headers }: JsonRequest, views: Map<string, TransactionView>): JsonReply {
  if (headers['authorization'] !== `Bearer ${INTERNAL_API_TOKEN}`) return { status: 401 }
  const [id = '', action] = path.replace('/internal/v1/transactions/', '').split('/')
  const view = views.get(id)
  if (!view) return { status: 404 }
  if (method === 'POST' && action === 'cancel') views.set(id, { ...view, closing: 'cancelled', payable: false, checkout: null })
  return { status: 200, body: views.get(id) }
}
