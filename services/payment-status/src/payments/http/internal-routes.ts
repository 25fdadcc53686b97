import { Router } from 'express'
import {
  callersOf,
  compile,
  exactFields,
  INTERNAL_CALLERS,
  ORDER_ID_SCHEMA,
  PAYMENT_METHODS,
  Refused,
  type LinksOf,
} from '@gateway/contracts'
import type { RequireCaller } from '@gateway/service-kit/http'
import type { Transaction } from '../domain/transaction.ts'
import type { Adopt } from '../use-cases/adopt.ts'
import type { Attempts } from '../use-cases/attempts.ts'
import { toTransactionView } from './views.ts'

const startAttemptRequest = compile(
  exactFields({ attempt_id: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' }, method: { enum: PAYMENT_METHODS } }),
)

/** Routes for the hosted page and the simulator (contracts, internal.ts). The gateway does not route them. */
export function internalRoutes(dependencies: {
  requireCaller: RequireCaller
  adopt: Pick<Adopt, 'byOrder'>
  attempts: Attempts
  linksOf: LinksOf
  now: () => Date
}): Router {
  const { requireCaller, adopt, attempts, linksOf, now } = dependencies
  const view = (transaction: Transaction) => toTransactionView(transaction, linksOf, now())
  const { transactions, attempts: changes } = INTERNAL_CALLERS['payment-status']
  const [mayRead, mayChange] = [requireCaller(transactions), requireCaller(changes)]
  return Router()
    .use('/internal', requireCaller(callersOf('payment-status')))
    .use('/internal/v1/transactions', (...call) => (call[0].method === 'GET' ? mayRead : mayChange)(...call))
    .get('/internal/v1/transactions/:id', async (request, response) => {
      response.json(view(await attempts.find(request.params.id)))
    })
    .get('/internal/v1/transactions/by-order-id/:merchantId/:orderId', async (request, response) => {
      const { merchantId, orderId } = orderParameters.parse(request.params)
      const transaction = await adopt.byOrder(merchantId, orderId)
      if (!transaction) throw new Refused('order_not_found', 'There is no such order')
      response.json(view(transaction))
    })
    .post('/internal/v1/transactions/:id/attempts', async (request, response) => {
      const { attempt_id: id, method } = startAttemptRequest.parse(request.body)
      response.status(201).json(view(await attempts.start(request.params.id, { id, method })))
    })
    .post('/internal/v1/transactions/:id/attempts/:attemptId/abandon', async (request, response) => {
      response.json(view(await attempts.abandon(request.params.id, request.params.attemptId)))
    })
    .post('/internal/v1/transactions/:id/cancel', async (request, response) => {
      response.json(view(await attempts.cancel(request.params.id)))
    })
}

/** They become part of a path to order-api, so only the characters of ids are allowed. */
export const orderParameters = compile({
  type: 'object',
  required: ['merchantId', 'orderId'],
  properties: { merchantId: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }, orderId: ORDER_ID_SCHEMA },
})
