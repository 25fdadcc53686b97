import { searchOrderRequest, type LinksOf } from '@gateway/contracts'
import type { HotRoute } from '@gateway/service-kit/http'
import { identify, type VerifyInternalToken } from '@gateway/service-kit/merchant-auth'
import type { SearchOrder } from '../use-cases/adopt.ts'
import { toSearchResponse } from './views.ts'

/** `POST /api/v1/order/search` (specification, section 4.2). */
export function searchRoute(dependencies: {
  verify: VerifyInternalToken
  searchOrder: SearchOrder
  linksOf: LinksOf
  now: () => Date
}): HotRoute {
  const { verify, searchOrder, linksOf, now } = dependencies
  return {
    path: '/api/v1/order/search',
    async handle({ header, body }) {
      const { merchantId } = await identify(verify, header('authorization'), 'read')
      const { order_id: orderId } = searchOrderRequest.parse(body)
      const { transaction, customer } = await searchOrder(merchantId, orderId)
      return { status: 200, body: toSearchResponse(transaction, customer, linksOf, now()) }
    },
  }
}
