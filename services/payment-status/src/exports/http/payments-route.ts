import { Router } from 'express'
import { INTERNAL_CALLERS, instantOf, MAX_EXPORTED_PAYMENTS, paymentsQuery, paymentsRequest } from '@gateway/contracts'
import type { RequireCaller } from '@gateway/service-kit/http'
import type { ExportPayments } from '../use-cases/export-payments.ts'
import { orderParameters } from '../../payments/index.ts'

/** Payments and timelines for the ledger (contracts, payments-export.ts and timeline.ts). The gateway does not route them. */
export function paymentsRoute(dependencies: { requireCaller: RequireCaller; exportPayments: ExportPayments }): Router {
  const { requireCaller, exportPayments } = dependencies
  const { payments, timelines } = INTERNAL_CALLERS['payment-status']
  const mayExport = requireCaller(payments)
  return Router()
    .get('/internal/v1/payments', mayExport, async (request, response) => {
      const { since, until, cursor: after, limit } = paymentsQuery.parse({ ...request.query })
      const filter = { since: instantOf(since), until: instantOf(until), after, limit: Number(limit ?? MAX_EXPORTED_PAYMENTS) }
      response.json(await exportPayments.page(filter))
    })
    .post('/internal/v1/payments', mayExport, async (request, response) => {
      response.json(await exportPayments.byIds(paymentsRequest.parse(request.body).transaction_ids))
    })
    .get('/internal/v1/timelines/:merchantId/:orderId', requireCaller(timelines), async (request, response) => {
      const { merchantId, orderId } = orderParameters.parse(request.params)
      response.json(await exportPayments.timeline(merchantId, orderId))
    })
}
