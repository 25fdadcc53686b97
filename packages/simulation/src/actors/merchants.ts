import type { CreateOrderResponse, RefundResponse, SearchOrderResponse } from '@gateway/contracts'
import type { Action, Learnt, Operation } from '../check/history.ts'
import type { WebhookSecrets } from '../check/received.ts'
import { tokenOf } from '../hooks/jose.ts'
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

export interface RefundRequest {
  readonly order_id: string
  readonly refund_id: string
  readonly amount: string
}

/** The merchants' programs: what they call, and what they learn. */
export interface Merchants {
  readonly operations: readonly Operation[]
  /** Registers the merchant's two webhook endpoints. */
  register(merchantId: string): Promise<WebhookSecrets>
  create(who: string, merchantId: string, order: NewOrder): Promise<CreateOrderResponse['data']['transaction'] | undefined>
  search(who: string, merchantId: string, orderId: string): Promise<SearchOrderResponse['data']['transaction'] | undefined>
  /** False when it should be asked again. */
  refund(merchantId: string, request: RefundRequest): Promise<boolean>
  /** Notes what a shopper has done. */
  note(who: string, action: Action, atMs: number): void
}

/** @param isStale whether a database member that was replaced still takes itself for the primary */
export function createMerchants(kernel: Kernel, network: Network, isStale: () => boolean): Merchants {
  const operations: Operation[] = []
  const nowMs = (): number => kernel.elapsedMs

  async function perform(
    who: string,
    action: Action,
    send: () => Promise<HttpAnswer | undefined>,
    learn: (body: string) => Learnt,
  ) {
    const [invokedMs, wasStale] = [nowMs(), isStale()]
    const answer = await send()
    const isOk = answer !== undefined && answer.status < 300
    // What a replaced primary answers is older than it should be (docs/simulation.md).
    const isOld = action.f === 'search' && (wasStale || isStale())
    const isUnclear = answer === undefined || answer.status >= 500
    const learnt = isOld ? {} : isOk ? learn(answer.body) : { code: answer ? codeOf(answer.body) : 'no answer' }
    operations.push({
      process: who,
      action,
      invokedMs,
      endedMs: nowMs(),
      type: isOld ? 'info' : isOk ? 'ok' : isUnclear ? 'info' : 'fail',
      learnt,
    })
    return isOk ? answer.body : undefined
  }

  const post = (merchantId: string, host: string, port: number, path: string, body: object, method = 'POST') =>
    call(network, { method, host, port, path, bearer: bearerOf(merchantId, host), body, timeoutMs: 6000 })

  return {
    operations,
    register: (merchantId) => registerBoth(merchantId, post),
    async create(who, merchantId, { orderId, amount, expiresInSeconds, maxAttempts }) {
      const action = { f: 'create', order: `${merchantId}/${orderId}`, amount } as const
      const body = { order_id: orderId, amount, customer: CUSTOMER, expires_in: expiresInSeconds, max_attempts: maxAttempts }
      const send = () => post(merchantId, 'order-api', 8102, '/api/v1/orders/create', body)
      const transactionOf = (text: string) => (JSON.parse(text) as CreateOrderResponse).data.transaction
      const text = await perform(who, action, send, (answer) => ({ transaction: transactionOf(answer).id }))
      return text === undefined ? undefined : transactionOf(text)
    },
    async search(who, merchantId, orderId) {
      const send = () => post(merchantId, 'payment-status', 8103, '/api/v1/order/search', { order_id: orderId })
      const transactionOf = (text: string) => (JSON.parse(text) as SearchOrderResponse).data.transaction
      const learn = (answer: string) => {
        const { id, status, sequence } = transactionOf(answer)
        return { transaction: id, status, sequence }
      }
      const text = await perform(who, { f: 'search', order: `${merchantId}/${orderId}` }, send, learn)
      return text === undefined ? undefined : transactionOf(text)
    },
    async refund(merchantId, request) {
      const { order_id: orderId, refund_id: refundId, amount } = request
      const action = { f: 'refund', order: `${merchantId}/${orderId}`, refundId, amount } as const
      const send = () => post(merchantId, 'payment-status', 8103, '/api/v1/refunds', request)
      const learn = (answer: string) => ({ refund: (JSON.parse(answer) as RefundResponse).data.refund.id })
      return (await perform(`refunds of ${orderId}`, action, send, learn)) !== undefined
    },
    note: (who, action, atMs) =>
      void operations.push({ process: who, action, invokedMs: atMs, endedMs: atMs, type: 'ok', learnt: {} }),
  }
}

type Post = (
  merchantId: string,
  host: string,
  port: number,
  path: string,
  body: object,
  method?: string,
) => Promise<HttpAnswer | undefined>

async function registerBoth(merchantId: string, post: Post): Promise<WebhookSecrets> {
  const secretOf = async (endpoint: string, url: string): Promise<string> => {
    for (;;) {
      const path = `/api/v1/webhooks/${endpoint}`
      const answer = await post(merchantId, 'webhook-dispatcher', 8105, path, { url }, 'PUT')
      if (answer?.status !== 200) continue
      return (JSON.parse(answer.body) as { data: { signing_secret: string } }).data.signing_secret
    }
  }
  return {
    payments: await secretOf('endpoint', urlOf(merchantId)),
    refunds: await secretOf('refund-endpoint', refundUrlOf(merchantId)),
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
