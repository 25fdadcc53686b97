import { OPERATIONS } from '../generated/operations.ts'
import type { Transport } from '../http/transport.ts'
import { paged, type Paged } from '../paged.ts'
import type { DeliveriesQuery, Delivery, Recovered, ResendTarget } from '../generated/types.ts'

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
    async resend(id, { to = 'original' } = {}) {
      const { body } = await send(OPERATIONS.resendDelivery, { id, body: { to } })
      return (body as { data: { id: string } }).data
    },
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
