import { Router } from 'express'
import {
  INTERNAL_CALLERS,
  instantOf,
  MAX_EXPORTED_PAYMENTS,
  MAX_TRANSITIONS_LIMIT,
  paymentsQuery,
  transitionsQuery,
  type PaymentsQuery,
} from '@gateway/contracts'
import type { RequireCaller } from '@gateway/service-kit/http'
import { orderParameters } from '../../payments/index.ts'
import type { ExportPayments, ExportTransitions } from '../use-cases/export-payments.ts'

/** What the ledger and the audit of webhooks read (contracts, `payments-export.ts`). The gateway does not route it. */
export function exportRoutes(dependencies: {
  requireCaller: RequireCaller
  exportPayments: ExportPayments
  exportTransitions: ExportTransitions
}): Router {
  const { requireCaller, exportPayments, exportTransitions } = dependencies
  const { payments, timelines, transitions } = INTERNAL_CALLERS['payment-status']
  return Router()
    .get('/internal/v1/payments', requireCaller(payments), async (request, response) => {
      response.json(await exportPayments.page(toFilter(paymentsQuery.parse({ ...request.query }), MAX_EXPORTED_PAYMENTS)))
    })
    .get('/internal/v1/timelines/:merchantId/:orderId', requireCaller(timelines), async (request, response) => {
      const { merchantId, orderId } = orderParameters.parse(request.params)
      response.json(await exportPayments.timeline(merchantId, orderId))
    })
    .get('/internal/v1/transitions', requireCaller(transitions), async (request, response) => {
      response.json(await exportTransitions(toFilter(transitionsQuery.parse({ ...request.query }), MAX_TRANSITIONS_LIMIT)))
    })
}

function toFilter({ since, until, cursor: after, limit }: PaymentsQuery, most: number) {
  return { since: instantOf(since), until: instantOf(until), after, limit: Number(limit ?? most) }
}
