import { Router } from 'express'
import {
  compile,
  formatPaise,
  instantOf,
  listOrdersQuery,
  ORDER_ID_SCHEMA,
  parseAmount,
  type ListedOrder,
  type ListOrdersQuery,
  type OrdersPage,
} from '@gateway/contracts'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import { firstPosition, type ListFilter } from '../domain/list-filter.ts'
import type { Payment } from '../domain/payment.ts'
import type { HashPayer } from '../payer-hash.ts'
import type { ListOrders } from '../use-cases/list-orders.ts'
import type { ReadTimeline } from '../use-cases/read-timeline.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { checkRanges } from './ranges.ts'

export interface OrdersRouteOptions {
  readonly requireMerchant: RequireMerchant
  readonly listOrders: ListOrders
  readonly readTimeline: ReadTimeline
  readonly hashPayer: HashPayer
  /** The time up to which the ledger has every status change. */
  readonly asOf: () => Date
  readonly now: () => Date
}

const DEFAULT_LIMIT = 20

/** The order id becomes part of a path at payment-status, so no other characters may be in it. */
const timelineParameters = compile({ type: 'object', required: ['orderId'], properties: { orderId: ORDER_ID_SCHEMA } })

/** `GET /api/v1/orders` and the timeline of one order. */
export function ordersRoute(options: OrdersRouteOptions): Router {
  const { requireMerchant, listOrders, readTimeline, hashPayer, asOf, now } = options
  return Router()
    .get('/api/v1/orders', requireMerchant('read'), async (request, response) => {
      const query = listOrdersQuery.parse({ ...request.query })
      const filter = filterOf(merchantOf(response).merchantId, query, hashPayer)
      checkRanges({ ...filter, from: query.from, to: query.to })
      const position = query.cursor === undefined ? firstPosition(filter, now()) : readCursor(query.cursor, filter)
      // Read this time before the orders, so that the answer has every change up to it.
      const as_of = asOf().toISOString()
      const { payments, next } = await listOrders(filter, position, Number(query.limit ?? DEFAULT_LIMIT))
      const next_cursor = next ? writeCursor(next, filter) : null
      response.json({ data: { orders: payments.map(orderView) }, next_cursor, as_of } satisfies OrdersPage)
    })
    .get('/api/v1/orders/:orderId/timeline', requireMerchant('read'), async (request, response) => {
      const { orderId } = timelineParameters.parse(request.params)
      response.json(await readTimeline(merchantOf(response).merchantId, orderId))
    })
}

function filterOf(merchantId: string, query: ListOrdersQuery, hashPayer: HashPayer): ListFilter {
  const { order_id: orderId, rrn, payer_vpa: vpa, status, refund_state: refundState, method, amount_min, amount_max } = query
  return {
    merchantId,
    from: instantOf(query.from),
    to: instantOf(query.to),
    indexed: { orderId, rrn, payerHash: vpa === undefined ? undefined : hashPayer(merchantId, vpa), status, refundState },
    method,
    minPaise: amount_min === undefined ? undefined : parseAmount(amount_min),
    maxPaise: amount_max === undefined ? undefined : parseAmount(amount_max),
  }
}

function orderView(payment: Payment): ListedOrder {
  return {
    order_id: payment.orderId,
    transaction_id: payment.transactionId,
    status: payment.status,
    sequence: payment.sequence,
    amount: formatPaise(payment.amountPaise),
    currency: 'INR',
    method: payment.method,
    rrn: payment.rrn,
    failure_code: payment.failureCode,
    refund_state: payment.refundState,
    amount_refunded: formatPaise(payment.refundedPaise),
    created_at: payment.createdAt.toISOString(),
    final_at: payment.finalAt?.toISOString() ?? null,
  }
}
