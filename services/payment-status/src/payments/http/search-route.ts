import { searchOrderRequest, type LinksOf } from '@gateway/contracts'
import type { HotRoute } from '@gateway/service-kit/http'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import type { SearchOrder } from '../use-cases/adopt.ts'
import { toSearchResponse } from './views.ts'

/** `POST /api/v1/order/search` (specification, section 4.2). */
export function searchRoute(dependencies: {
  identify: Identify
  searchOrder: SearchOrder
  linksOf: LinksOf
  now: () => Date
}): HotRoute {
  const { identify, searchOrder, linksOf, now } = dependencies
  return {
    path: '/api/v1/order/search',
    async handle(call) {
      const { merchantId } = await identify(call, 'read')
      const { order_id: orderId } = searchOrderRequest.parse(call.body)
      const { transaction, customer } = await searchOrder(merchantId, orderId)
      return { status: 200, body: toSearchResponse(transaction, customer, linksOf, now()) }
    },
  }
}
