import { Router } from 'express'
import { instantOf, listRefundsQuery, parseAmount, type ListRefundsQuery, type RefundsPage } from '@gateway/contracts'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import type { RefundFilter } from '../domain/refund.ts'
import type { ListRefunds } from '../use-cases/list-refunds.ts'
import { readPosition, writePosition } from './cursor.ts'
import { checkRanges } from './ranges.ts'

export interface RefundsRouteOptions {
  readonly requireMerchant: RequireMerchant
  readonly listRefunds: ListRefunds
  /** The time up to which the ledger has every status change. */
  readonly asOf: () => Date
}

const DEFAULT_LIMIT = 20
const POSITION = /^\d{4}-[\d:.TZ-]{19,20}\/[0-9A-Z]{1,40}$/u

/** `GET /api/v1/refunds`. */
export function refundsRoute({ requireMerchant, listRefunds, asOf }: RefundsRouteOptions): Router {
  return Router().get('/api/v1/refunds', requireMerchant('read'), async (request, response) => {
    const query = listRefundsQuery.parse({ ...request.query })
    const filter = filterOf(merchantOf(response).merchantId, query)
    checkRanges({ ...filter, from: query.from, to: query.to })
    const conditions = conditionsOf(filter)
    const before = query.cursor === undefined ? undefined : readPosition(query.cursor, POSITION, conditions)
    // Read this time before the refunds, so that the answer has every change up to it.
    const as_of = asOf().toISOString()
    const { refunds, next } = await listRefunds(filter, before, Number(query.limit ?? DEFAULT_LIMIT))
    const next_cursor = next === undefined ? null : writePosition(next, conditions)
    response.json({ data: { refunds: refunds.map(({ view }) => view) }, next_cursor, as_of } satisfies RefundsPage)
  })
}

function filterOf(merchantId: string, query: ListRefundsQuery): RefundFilter {
  const { from, to, order_id: orderId, refund_id: refundId, status, rrn, amount_min, amount_max } = query
  return {
    merchantId,
    from: instantOf(from),
    to: instantOf(to),
    orderId,
    refundId,
    status,
    rrn,
    minPaise: amount_min === undefined ? undefined : parseAmount(amount_min),
    maxPaise: amount_max === undefined ? undefined : parseAmount(amount_max),
  }
}

/** The conditions in a fixed order, for the cursor's digest. */
function conditionsOf({
  merchantId,
  from,
  to,
  orderId,
  refundId,
  status,
  rrn,
  minPaise,
  maxPaise,
}: RefundFilter): readonly unknown[] {
  return ['refunds', merchantId, from, to, orderId, refundId, status, rrn, minPaise, maxPaise]
}
