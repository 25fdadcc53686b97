import { Router } from 'express'
import {
  formatPaise,
  instantOf,
  listOrdersQuery,
  listRefundsQuery,
  parseAmount,
  TRANSACTION_ID_PATTERN,
  type ListedOrder,
  type ListRefundsQuery,
  type OrdersPage,
  type RefundsPage,
} from '@gateway/contracts'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import { checkRanges, cursorsOf } from '../../common/index.ts'
import type { ListFilter, ReadList } from '../domain/list.ts'
import { transactionIdOf, type HashPayer, type Payment } from '../domain/payment.ts'
import { refundView, type LedgerRefund } from '../domain/refund.ts'

export interface ListRoutesOptions {
  readonly identify: Identify
  readonly listOrders: ReadList<Payment>
  readonly listRefunds: ReadList<LedgerRefund>
  readonly hashPayer: HashPayer
  /** The time up to which the ledger has every status change. */
  readonly asOf: () => Date
}

const DEFAULT_LIMIT = 20
const ORDERS = { name: 'orders', position: new RegExp(TRANSACTION_ID_PATTERN, 'u') } as const
const REFUNDS = { name: 'refunds', position: /^\d{4}-[\d:.TZ-]{19,20}\/[0-9A-Z]{1,40}$/u } as const

/** `GET /api/v1/orders` and `GET /api/v1/refunds`. */
export function listRoutes({ identify, listOrders, listRefunds, hashPayer, asOf }: ListRoutesOptions): Router {
  /** Reads the page that a query asks for. Throws `ValidationFailed` for a range or a cursor that is not valid. */
  async function pageOf<T>(
    { name, position, read }: { readonly name: string; readonly position: RegExp; readonly read: ReadList<T> },
    filter: ListFilter,
    { from, to, cursor, limit }: Pick<ListRefundsQuery, 'from' | 'to' | 'cursor' | 'limit'>,
  ) {
    checkRanges({ ...filter, from, to })
    const cursors = cursorsOf(position, name, filter)
    // Read this time before the list, so that the answer has every change up to it.
    const as_of = asOf().toISOString()
    const { found, next } = await read(filter, cursors.read(cursor), Number(limit ?? DEFAULT_LIMIT))
    return { found, next_cursor: cursors.write(next), as_of }
  }

  return Router()
    .get('/api/v1/orders', async (request, response) => {
      const { merchantId } = await identify(request, 'read')
      const query = listOrdersQuery.parse({ ...request.query })
      const { order_id, rrn, payer_vpa: vpa, status, refund_state, method } = query
      const payer_hash = vpa === undefined ? undefined : hashPayer(merchantId, vpa)
      const filter = filterOf(merchantId, query, { order_id, rrn, payer_hash, status, refund_state, method })
      const { found, ...page } = await pageOf({ ...ORDERS, read: listOrders }, filter, query)
      response.json({ data: { orders: found.map(orderView) }, ...page } satisfies OrdersPage)
    })
    .get('/api/v1/refunds', async (request, response) => {
      const { merchantId } = await identify(request, 'read')
      const query = listRefundsQuery.parse({ ...request.query })
      const { order_id, refund_id, status, rrn } = query
      const filter = filterOf(merchantId, query, { order_id, refund_id, status, rrn })
      const { found, ...page } = await pageOf({ ...REFUNDS, read: listRefunds }, filter, query)
      response.json({ data: { refunds: found.map(refundView) }, ...page } satisfies RefundsPage)
    })
}

type Limits = Pick<ListRefundsQuery, 'from' | 'to' | 'amount_min' | 'amount_max'>

function filterOf(merchantId: string, { from, to, amount_min, amount_max }: Limits, equal: ListFilter['equal']): ListFilter {
  return {
    merchantId,
    from: instantOf(from),
    to: instantOf(to),
    equal,
    minPaise: amount_min === undefined ? undefined : parseAmount(amount_min),
    maxPaise: amount_max === undefined ? undefined : parseAmount(amount_max),
  }
}

function orderView(payment: Payment): ListedOrder {
  const { order_id, status, sequence, amount_paise, method, rrn, failure_code, refund_state, refunded_paise } = payment
  return {
    ...{ order_id, transaction_id: transactionIdOf(payment), status, sequence, method, rrn, failure_code, refund_state },
    ...{ amount: formatPaise(amount_paise), currency: 'INR', amount_refunded: formatPaise(refunded_paise) },
    created_at: payment.created_at.toISOString(),
    final_at: payment.final_at?.toISOString() ?? null,
  }
}
