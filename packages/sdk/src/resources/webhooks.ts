/** The URLs that receive webhooks, and the webhooks that were sent. */
import { OPERATIONS } from '../generated/operations.ts'
import type {
  DeliveriesQuery,
  Delivery,
  Endpoint,
  Recovered,
  RegisteredEndpoint,
  ResendTarget,
  RotatedSecret,
  TestResult,
} from '../generated/types.ts'
import type { Transport } from '../http/transport.ts'
import { dataOf, paged, type Paged } from './answers.ts'

/** The URL that receives this merchant's webhooks. */
export interface EndpointCalls {
  /**
   * Sets the URL for orders created from now on. `signing_secret` is in the answer to the first registration only.
   *
   * @example
   * const { signing_secret } = await gateway.endpoint.register('https://merchant.example/webhooks')
   */
  register(url: string): Promise<RegisteredEndpoint>
  /** @example const { url, disabled } = await gateway.endpoint.get() */
  get(): Promise<Endpoint>
  /**
   * Ends a disablement. Webhooks that were missed come with `deliveries.recover`.
   *
   * @example await gateway.endpoint.enable()
   */
  enable(): Promise<Endpoint>
  /**
   * Makes a new signing secret. Webhooks carry signatures of both until `previous_secret_until`: give both to `verify` meanwhile.
   *
   * @example const { signing_secret } = await gateway.endpoint.rotateSecret()
   */
  rotateSecret(): Promise<RotatedSecret>
  /**
   * Sends a test webhook and tells how the endpoint answered.
   *
   * @example console.log(await gateway.endpoint.test()) // { status_code: 200, duration_ms: 41, error: null }
   */
  test(): Promise<TestResult>
}

/**
 * The URL that receives the webhooks of refunds created after `register`. It has a signing secret of its own: check them with
 * `verifyRefund`.
 *
 * @example
 * const { signing_secret } = await gateway.refundEndpoint.register('https://merchant.example/refund-webhooks')
 */
export type RefundEndpointCalls = Omit<EndpointCalls, 'test'>

export function createEndpoint(send: Transport): EndpointCalls {
  return {
    register: (url) => dataOf(send, OPERATIONS.registerEndpoint, { body: { url } }),
    get: () => dataOf(send, OPERATIONS.readEndpoint),
    enable: () => dataOf(send, OPERATIONS.enableEndpoint),
    rotateSecret: () => dataOf(send, OPERATIONS.rotateSecret),
    test: () => dataOf(send, OPERATIONS.sendTestEvent),
  }
}

export function createRefundEndpoint(send: Transport): RefundEndpointCalls {
  return {
    register: (url) => dataOf(send, OPERATIONS.registerRefundEndpoint, { body: { url } }),
    get: () => dataOf(send, OPERATIONS.readRefundEndpoint),
    enable: () => dataOf(send, OPERATIONS.enableRefundEndpoint),
    rotateSecret: () => dataOf(send, OPERATIONS.rotateRefundSecret),
  }
}

export interface RecoverOptions {
  /** Dead deliveries created since this time. */
  readonly since: Date | string
  readonly to: ResendTarget
}

/** Webhooks that were sent, and how each attempt went. */
export interface Deliveries {
  /**
   * Newest first.
   *
   * @example
   * for await (const { status, attempts } of gateway.deliveries.list({ order_id: 'ORD-1001' })) console.log(status, attempts)
   */
  list(query?: DeliveriesQuery): Paged<Delivery>
  /**
   * Sends a delivery again with the same bytes and the same `webhook-id`, by default to its original URL.
   *
   * @example await gateway.deliveries.resend(delivery.id, { to: 'current' })
   */
  resend(id: string, options?: { readonly to?: ResendTarget }): Promise<{ readonly id: string }>
  /**
   * Sends every dead delivery since a time again. Safe to repeat.
   *
   * @returns the sums over all parts
   * @example await gateway.deliveries.recover({ since: '2026-01-31T00:00:00Z', to: 'current' })
   */
  recover(options: RecoverOptions): Promise<Recovered>
}

export function createDeliveries(send: Transport): Deliveries {
  return {
    list: (query = {}) => paged(send, OPERATIONS.listDeliveries, 'deliveries', { query: { ...query } }),
    resend: (id, { to = 'original' } = {}) => dataOf(send, OPERATIONS.resendDelivery, { id, body: { to } }),
    async recover({ since, to }) {
      const instant = since instanceof Date ? since.toISOString() : since
      let [count, skipped] = [0, 0]
      let cursor: string | null = null
      do {
        const part = { since: instant, to, ...(cursor === null ? {} : { cursor }) }
        const { body } = await send(OPERATIONS.recoverDeliveries, { body: part })
        const { data, next_cursor } = body as { data: Recovered; next_cursor: string | null }
        count += data.count
        skipped += data.skipped
        cursor = next_cursor
      } while (cursor !== null)
      return { count, skipped }
    },
  }
}
