import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import type { LoadAnswer } from './load.ts'
import { createOutcome } from './outcome.ts'
import { makeToken, type Credentials } from './token.ts'

/** The merchants' calls. Each takes the next merchant in turn, and none throws: what happened is in the results. */
export interface Shop {
  renewTokens(): Promise<void>
  readonly create: () => Promise<void>
  readonly createAndPay: () => Promise<void>
  /** Of an order made here, at random. */
  readonly search: () => Promise<void>
  /** What has happened since it was asked last. */
  results(tookMs: number, notSent: number): LoadAnswer
  /** Forgets the orders that `search` takes from. */
  forget(): void
  close(): Promise<void>
}

const CONNECTIONS = 256
const TIMEOUT_MS = 30_000
const INTENT = /"intent":"([^"]+)"/u
const TRANSACTION_ID = /"id":"([0-9A-Z]+)"/u

export function createShop(options: { baseUrl: string; networkUrl: string; merchants: readonly Credentials[] }): Shop {
  const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS }
  const gateway = new Pool(options.baseUrl, { connections: CONNECTIONS, pipelining: 1, ...timeouts })
  const network = new Pool(options.networkUrl, { connections: CONNECTIONS, pipelining: 1, ...timeouts })
  const runId = randomBytes(4).toString('hex')
  const orders: { readonly orderId: string; readonly merchant: number }[] = []
  let headers: Record<string, string>[] = []
  const outcome = createOutcome()
  let made = 0

  async function call(pool: Pool, path: string, sent: Record<string, string>, body: string): Promise<string | undefined> {
    const startedMs = performance.now()
    try {
      const answer = await pool.request({ method: 'POST', path, headers: sent, body })
      const text = await answer.body.text()
      if (answer.statusCode >= 300) {
        outcome.refused(answer)
        return undefined
      }
      if (pool === gateway) outcome.accepted(performance.now() - startedMs)
      return text
    } catch (error) {
      outcome.failed(error)
      return undefined
    }
  }

  async function create(): Promise<string | undefined> {
    made += 1
    const orderId = `B-${runId}-${made}`
    const merchant = made % headers.length
    const text = await call(gateway, '/api/v1/orders/create', headers[merchant] ?? {}, orderBody(orderId, made))
    const transactionId = TRANSACTION_ID.exec(text ?? '')?.[1]
    if (text === undefined || transactionId === undefined) return undefined
    orders.push({ orderId, merchant })
    outcome.ordered(transactionId)
    return text
  }

  return {
    async renewTokens() {
      const tokens = await Promise.all(options.merchants.map(makeToken))
      headers = tokens.map((token) => ({ authorization: `Bearer ${token}`, ...JSON_TYPE }))
    },
    async create() {
      await create()
    },
    async createAndPay() {
      const text = await create()
      if (text === undefined) return
      const intent = INTENT.exec(text)?.[1] ?? ''
      const taken = await call(network, '/sandbox/upi/pay', JSON_TYPE, JSON.stringify({ intent, vpa: 'success@sandbox' }))
      const transactionId = TRANSACTION_ID.exec(text)?.[1]
      if (taken !== undefined && transactionId !== undefined) outcome.paid(transactionId)
    },
    async search() {
      const order = orders[Math.floor(Math.random() * orders.length)]
      if (!order) throw new Error('there is no order to search for')
      await call(gateway, '/api/v1/order/search', headers[order.merchant] ?? {}, JSON.stringify({ order_id: order.orderId }))
    },
    results: (tookMs, notSent) => outcome.take({ tookMs, notSent }),
    forget() {
      orders.length = 0
    },
    async close() {
      await Promise.all([gateway.destroy(), network.destroy()])
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

function orderBody(orderId: string, number: number): string {
  return JSON.stringify({
    order_id: orderId,
    amount: `${(number % 900) + 100}.00`,
    description: 'Blue shirt',
    customer: { id: `C-${number}`, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
    udf1: 'cart-7',
  })
}
