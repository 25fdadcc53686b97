import { OPERATIONS } from '../generated/operations.ts'
import type { Transport } from '../http/transport.ts'
import { paged, type Paged } from '../paged.ts'
import type { NewRefund, Refund, RefundsQuery } from '../generated/types.ts'
import { unlessMissing } from './unless-missing.ts'

/** Refunds of this merchant's orders. The credential needs the scope `refunds`. */
export interface Refunds {
  /**
   * Refunds a paid order, in full or in part. Safe to repeat: the same fields again are one refund; other fields with the same
   * `refund_id` throw `ApiError` with the code `refund_id_conflict`.
   *
   * @example await gateway.refunds.create({ order_id: 'ORD-1001', refund_id: 'RF-1', amount: '200.00', reason: 'returned' })
   */
  create(refund: NewRefund): Promise<Refund>
  /**
   * The refund with the gateway's id, or with your own `refund_id` when its order is given; `undefined` when there is none.
   *
   * @example const refund = await gateway.refunds.find('RF-1', { order_id: 'ORD-1001' })
   */
  find(id: string, options?: { readonly order_id?: string }): Promise<Refund | undefined>
  /**
   * Refunds, newest first; the credential needs the scope `read`. A page may be short, even empty, before the last one.
   *
   * @example for await (const { refund_id, status } of gateway.refunds.list({ order_id: 'ORD-1001' })) console.log(refund_id, status)
   */
  list(query?: RefundsQuery): Paged<Refund>
}

export function createRefunds(send: Transport): Refunds {
  return {
    create: async (refund) => refundIn(await send(OPERATIONS.createRefund, { body: refund })),
    list: (query = {}) => paged(send, OPERATIONS.listRefunds, 'refunds', { query: { ...query } }),
    find: (id, { order_id } = {}) =>
      unlessMissing('refund_not_found', async () => refundIn(await send(OPERATIONS.findRefund, { id, query: { order_id } }))),
  }
}

function refundIn({ body }: { readonly body: unknown }): Refund {
  return (body as { data: { refund: Refund } }).data.refund
}
