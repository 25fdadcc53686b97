import { Router } from 'express'
import { searchOrderRequest } from '@gateway/contracts'
import { merchantOf, requireMerchant, type VerifyInternalToken } from '@gateway/service-kit'
import type { SearchOrder } from '../use-cases/search-order.ts'
import { toSearchResponse, type LinksOf } from './views.ts'

export function searchRoute(dependencies: {
  verify: VerifyInternalToken
  searchOrder: SearchOrder
  linksOf: LinksOf
  now: () => Date
}): Router {
  const { verify, searchOrder, linksOf, now } = dependencies
  return Router().post('/api/v1/order/search', requireMerchant(verify), async (request, response) => {
    const { order_id: orderId } = searchOrderRequest.parse(request.body)
    const { transaction, customer } = await searchOrder(merchantOf(response).merchantId, orderId)
    response.json(toSearchResponse(transaction, customer, linksOf, now()))
  })
}
