import type { CreateOrderResponse, RefundResponse, SearchOrderResponse } from '@gateway/contracts'
import type { Action, Learnt, Operation } from '../check/history.ts'
import type { WebhookSecrets } from '../check/received.ts'
import { tokenOf } from '../hooks/substitutes.ts'
import type { HttpAnswer, Network } from '../kernel/network.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { call } from './call.ts'
import { refundUrlOf, urlOf } from './receiver.ts'

export const MERCHANT_IDS = ['mer_1', 'mer_2', 'mer_3'] as const

/** No message may hold any of it. */
export const CUSTOMER = { id: 'C-secret', name: 'Asha Secret', email: 'secret@example.com', phone: '9876512345' } as const

export interface NewOrder {
  readonly orderId: string
  readonly amount: string
  readonly expiresInSeconds: number
  readonly maxAttempts: number
}

/** The merchants' programs: what they call, and what they learn. */
export type Merchants = ReturnType<typeof createMerchants>

/** @param isStale whether a database member that was replaced still takes itself for the primary */
export function createMerchants(kernel: Kernel, network: Network, isStale: () => boolean) {
  const operations: Operation[] = []

  /** Sends a call and notes it. Resolves to what a good answer holds; `undefined` without one. */
  async function perform<T>(
    who: string,
    action: Action,
    send: () => Promise<HttpAnswer | undefined>,
    read: (body: string) => { readonly value: T; readonly learnt: Learnt },
  ): Promise<T | undefined> {
    const [invokedMs, wasStale] = [kernel.elapsedMs, isStale()]
    const answer = await send()
    const good = answer !== undefined && answer.status < 300 ? read(answer.body) : undefined
    // What a replaced primary answers is older than it should be (docs/simulation.md).
    const isOld = action.f === 'search' && (wasStale || isStale())
    const isUnclear = isOld || answer === undefined || answer.status >= 500
    const learnt = good?.learnt ?? { code: answer ? codeOf(answer.body) : 'no answer' }
    const type = good && !isOld ? 'ok' : isUnclear ? 'info' : 'fail'
    operations.push({ process: who, action, invokedMs, endedMs: kernel.elapsedMs, type, learnt: isOld ? {} : learnt })
    return good?.value
  }

  const post = (merchantId: string, host: string, port: number, path: string, body: object, method = 'POST') =>
    call(network, { method, host, port, path, bearer: bearerOf(merchantId, host), body, timeoutMs: 6000 })

  async function register(merchantId: string, endpoint: string, url: string): Promise<string> {
    for (;;) {
      const answer = await post(merchantId, 'webhook-dispatcher', 8105, `/api/v1/webhooks/${endpoint}`, { url }, 'PUT')
      if (answer?.status === 200) return (JSON.parse(answer.body) as { data: { signing_secret: string } }).data.signing_secret
    }
  }

  return {
    operations: operations as readonly Operation[],
    /** Registers the merchant's two webhook endpoints. */
    register: async (merchantId: string): Promise<WebhookSecrets> => ({
      payments: await register(merchantId, 'endpoint', urlOf(merchantId)),
      refunds: await register(merchantId, 'refund-endpoint', refundUrlOf(merchantId)),
    }),
    create(who: string, merchantId: string, { orderId, amount, expiresInSeconds, maxAttempts }: NewOrder) {
      const action = { f: 'create', order: `${merchantId}/${orderId}`, amount } as const
      const body = { order_id: orderId, amount, customer: CUSTOMER, expires_in: expiresInSeconds, max_attempts: maxAttempts }
      const send = () => post(merchantId, 'order-api', 8102, '/api/v1/orders/create', body)
      return perform(who, action, send, (answer) => {
        const { transaction } = (JSON.parse(answer) as CreateOrderResponse).data
        return { value: transaction, learnt: { transaction: transaction.id } }
      })
    },
    search(who: string, merchantId: string, orderId: string) {
      const send = () => post(merchantId, 'payment-status', 8103, '/api/v1/order/search', { order_id: orderId })
      return perform(who, { f: 'search', order: `${merchantId}/${orderId}` }, send, (answer) => {
        const { transaction } = (JSON.parse(answer) as SearchOrderResponse).data
        const { id, status, sequence } = transaction
        return { value: transaction, learnt: { transaction: id, status, sequence } }
      })
    },
    /** False when it should be asked again. */
    async refund(merchantId: string, orderId: string, refundId: string, amount: string): Promise<boolean> {
      const action = { f: 'refund', order: `${merchantId}/${orderId}`, refundId, amount } as const
      const body = { order_id: orderId, refund_id: refundId, amount }
      const send = () => post(merchantId, 'payment-status', 8103, '/api/v1/refunds', body)
      const done = await perform(`refunds of ${orderId}`, action, send, (answer) => {
        return { value: true, learnt: { refund: (JSON.parse(answer) as RefundResponse).data.refund.id } }
      })
      return done ?? false
    },
    /** Notes what a shopper has done. */
    note: (who: string, action: Action, atMs: number) =>
      void operations.push({ process: who, action, invokedMs: atMs, endedMs: atMs, type: 'ok', learnt: {} }),
  }
}

function bearerOf(merchantId: string, host: string): string {
  const facts = { sub: merchantId, cid: `cred-${merchantId}`, name: 'Shop', vpa: 'shop@bank', mcc: '5411', exp: 4_000_000_000 }
  // Two environments: the dispatcher runs as in production, without copies for listening merchants.
  const env = host === 'webhook-dispatcher' ? 'production' : 'sandbox'
  return tokenOf({ ...facts, env, scp: ['orders', 'read', 'webhooks', 'refunds'] })
}

function codeOf(body: string): string {
  return (JSON.parse(body) as { code?: string }).code ?? ''
}
