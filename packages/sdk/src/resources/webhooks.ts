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
export type EndpointCalls = ReturnType<typeof createEndpoint>

export function createEndpoint(send: Transport) {
  return {
    /** Sets the URL for orders created from now on. `signing_secret` is in the answer to the first registration only. */
    register: (url: string): Promise<RegisteredEndpoint> => dataOf(send, OPERATIONS.registerEndpoint, { body: { url } }),
    /** The URL, since when it is in force, and whether it is disabled. */
    get: (): Promise<Endpoint> => dataOf(send, OPERATIONS.readEndpoint),
    /** Ends a disablement. Webhooks that were missed come with `deliveries.recover`. */
    enable: (): Promise<Endpoint> => dataOf(send, OPERATIONS.enableEndpoint),
    /** Makes a new signing secret. Webhooks carry signatures of both until `previous_secret_until`: give both to `verify` meanwhile. */
    rotateSecret: (): Promise<RotatedSecret> => dataOf(send, OPERATIONS.rotateSecret),
    /** Sends a test webhook and tells how the endpoint answered, such as `{ status_code: 200, duration_ms: 41, error: null }`. */
    test: (): Promise<TestResult> => dataOf(send, OPERATIONS.sendTestEvent),
  }
}

/**
 * The URL that receives the webhooks of refunds created after `register`. It has a signing secret of its own: check them with
 * `verifyRefund`.
 */
export type RefundEndpointCalls = Omit<EndpointCalls, 'test'>

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
export type Deliveries = ReturnType<typeof createDeliveries>

export function createDeliveries(send: Transport) {
  return {
    /**
     * Newest first.
     *
     * @example
     * for await (const { status, attempts } of gateway.deliveries.list({ order_id: 'ORD-1001' })) console.log(status, attempts)
     */
    list: (query: DeliveriesQuery = {}): Paged<Delivery> =>
      paged(send, OPERATIONS.listDeliveries, 'deliveries', { query: { ...query } }),
    /** Sends a delivery again with the same bytes and the same `webhook-id`, by default to its original URL. */
    resend: (id: string, { to = 'original' }: { readonly to?: ResendTarget } = {}): Promise<{ readonly id: string }> =>
      dataOf(send, OPERATIONS.resendDelivery, { id, body: { to } }),
    /**
     * Sends every dead delivery since a time again. Safe to repeat.
     *
     * @returns the sums over all parts
     */
    async recover({ since, to }: RecoverOptions): Promise<Recovered> {
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
