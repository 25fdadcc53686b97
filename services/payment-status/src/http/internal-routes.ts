import { Router } from 'express'
import { compile, PAYMENT_METHODS, type PaymentMethod } from '@gateway/contracts'
import { requireBearer } from '@gateway/service-kit'
import type { Transaction } from '../domain/transaction.ts'
import type { Attempts } from '../use-cases/attempts.ts'
import { toTransactionView, type LinksOf } from './views.ts'

const startAttemptRequest = compile<{ attempt_id: string; method: PaymentMethod }>({
  type: 'object',
  additionalProperties: false,
  required: ['attempt_id', 'method'],
  properties: {
    attempt_id: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' },
    method: { enum: PAYMENT_METHODS },
  },
})

/** What the hosted page and the simulator ask for (contracts, internal.ts); never routed by the gateway. */
export function internalRoutes(dependencies: {
  internalApiToken: string
  attempts: Attempts
  linksOf: LinksOf
  now: () => Date
}): Router {
  const { internalApiToken, attempts, linksOf, now } = dependencies
  const view = (transaction: Transaction) => toTransactionView(transaction, linksOf, now())
  return Router()
    .use('/internal', requireBearer(internalApiToken))
    .get('/internal/v1/transactions/:id', async (request, response) => {
      response.json(view(await attempts.find(request.params.id)))
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
