import { formatPaise, type Checker, type CreateOrderRequest, type CreateOrderResponse, type LinksOf } from '@gateway/contracts'
import { currentCorrelation } from '@gateway/service-kit'
import type { HotRoute } from '@gateway/service-kit/http'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import type { Order } from '../domain/order.ts'
import type { CreateOrder } from '../use-cases/create-order.ts'

/** `POST /api/v1/orders/create` (specification, section 4.1). */
export function createRoute(dependencies: {
  identify: Identify
  requests: Checker<CreateOrderRequest>
  createOrder: CreateOrder
  linksOf: LinksOf
}): HotRoute {
  const { identify, requests, createOrder, linksOf } = dependencies
  return {
    path: '/api/v1/orders/create',
    async handle(call) {
      const { merchantId: id, name, vpa, mcc } = await identify(call, 'orders')
      const correlationId = currentCorrelation().requestId ?? ''
      const { order, created } = await createOrder(requests.parse(call.body), { merchant: { id, name, vpa, mcc }, correlationId })
      return { status: created ? 201 : 200, body: toResponse(order, linksOf) }
    },
  }
}

/** Made from fields that never change, so a repeated request gets the original answer. */
function toResponse(order: Order, linksOf: LinksOf): CreateOrderResponse {
  return {
    data: {
      order: { order_id: order.order_id },
      transaction: {
        id: order.transaction_id,
        status: 'Initiate',
        amount: formatPaise(order.amount_paise),
        currency: 'INR',
        created_at: order.created_at.toISOString(),
        expires_at: order.expires_at.toISOString(),
      },
    },
    checkout: linksOf({ transactionId: order.transaction_id, intent: order.intent }),
  }
}
