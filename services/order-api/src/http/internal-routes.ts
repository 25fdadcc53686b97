import { Router } from 'express'
import {
  ordersByTransaction,
  INTERNAL_CALLERS,
  Refused,
  transactionIdsQuery,
  type Customers,
  type InternalOrder,
  type TransactionIds,
} from '@gateway/contracts'
import type { RequireCaller } from '@gateway/service-kit/http'
import { orderCreatedEvent, type Order, type Orders } from '../domain/order.ts'

/** Routes for `payment-status` (contracts, internal.ts). The gateway does not route them. */
export function internalRoutes({
  requireCaller,
  orders,
}: {
  requireCaller: RequireCaller
  orders: Omit<Orders, 'insert'>
}): Router {
  return Router()
    .use('/internal', requireCaller(INTERNAL_CALLERS['order-api'].orders))
    .get('/internal/v1/orders/by-transaction/:transactionId', async (request, response) => {
      response.json(toAnswer(await orders.findByTransaction(request.params.transactionId)))
    })
    .get('/internal/v1/orders/by-order-id/:merchantId/:orderId', async (request, response) => {
      response.json(toAnswer(await orders.find(request.params.merchantId, request.params.orderId)))
    })
    .get('/internal/v1/orders/transaction-ids', async (request, response) => {
      const { since, until, limit } = transactionIdsQuery.parse({ ...request.query })
      const found = await orders.idsCreatedBetween(new Date(since), new Date(until), Number(limit))
      response.json({ transaction_ids: found } satisfies TransactionIds)
    })
    .post('/internal/v1/orders/customers', async (request, response) => {
      const { transaction_ids: transactionIds } = ordersByTransaction.parse(request.body)
      const found = await orders.findManyByTransaction(transactionIds)
      const customers: Customers = {
        customers: Object.fromEntries(found.map((order) => [order.transaction_id, order.customer])),
      }
      response.json(customers)
    })
}

/** The fields of its `order.created`: payment-status opens the transaction from either. */
function toAnswer(order: Order | undefined): InternalOrder {
  if (!order) throw new Refused('order_not_found', 'There is no such order')
  return orderCreatedEvent(order)
}
