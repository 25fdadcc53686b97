import { Router } from 'express'
import {
  formatPaise,
  type Checker,
  type CheckoutLinks,
  type CreateOrderRequest,
  type CreateOrderResponse,
  type PayableOrder,
} from '@gateway/contracts'
import { currentCorrelation, merchantOf, requireMerchant, type VerifyInternalToken } from '@gateway/service-kit'
import type { Order } from '../domain/order.ts'
import type { CreateOrder } from '../use-cases/create-order.ts'

export type LinksOf = (order: PayableOrder) => CheckoutLinks

/** `POST /api/v1/orders/create` (specification, section 4.1). */
export function createRoute(dependencies: {
  verify: VerifyInternalToken
  requests: Checker<CreateOrderRequest>
  createOrder: CreateOrder
  linksOf: LinksOf
}): Router {
  const { verify, requests, createOrder, linksOf } = dependencies
  return Router().post('/api/v1/orders/create', requireMerchant(verify), async (request, response) => {
    const body = requests.parse(request.body)
    const { merchantId: id, name, vpa, mcc } = merchantOf(response)
    const correlationId = currentCorrelation().requestId ?? ''
    const { order, created } = await createOrder(body, { merchant: { id, name, vpa, mcc }, correlationId })
    response.status(created ? 201 : 200).json(toResponse(order, linksOf))
  })
}

/** Made from what never changes, so a repetition gets the original answer. */
function toResponse(order: Order, linksOf: LinksOf): CreateOrderResponse {
  return {
    data: {
      order: { order_id: order.orderId },
      transaction: {
        id: order.transactionId,
        status: 'Initiate',
        amount: formatPaise(order.amountPaise),
        currency: 'INR',
        created_at: order.createdAt.toISOString(),
        expires_at: order.expiresAt.toISOString(),
      },
    },
    checkout: linksOf(order),
  }
}
