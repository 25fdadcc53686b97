import { Router } from 'express'
import { instantOf, listDeliveriesQuery, recoverDeliveriesRequest, resendDeliveryRequest } from '@gateway/contracts'
import type { Called } from '@gateway/service-kit'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import type { ListDeliveries } from '../use-cases/list-deliveries.ts'
import type { RecoverDeliveries } from '../use-cases/recover-deliveries.ts'
import type { Resend } from '../use-cases/resend.ts'
import { DEFAULT_LIMIT } from './schemas.ts'
import { deliveryView, pageView, readCursor, writeCursor } from './views.ts'

export interface DeliveryRoutesOptions {
  readonly requireMerchant: RequireMerchant
  readonly listDeliveries: ListDeliveries
  readonly recoverDeliveries: Called<RecoverDeliveries>
  readonly resend: { readonly ofMerchant: Called<Resend['ofMerchant']> }
}

/** Routes for a merchant's own deliveries (design, section 5). */
export function deliveryRoutes(options: DeliveryRoutesOptions): Router {
  const { requireMerchant, listDeliveries, recoverDeliveries, resend } = options
  return Router()
    .get('/api/v1/webhooks/deliveries', requireMerchant('read'), async (request, response) => {
      const { order_id: orderId, limit, cursor } = listDeliveriesQuery.parse({ ...request.query })
      const { merchantId } = merchantOf(response)
      const page = { limit: Number(limit ?? DEFAULT_LIMIT), after: readCursor(cursor) }
      response.json(pageView(await listDeliveries.ofMerchant({ merchantId, orderId }, page), deliveryView))
    })
    .post('/api/v1/webhooks/deliveries/recover', requireMerchant('webhooks'), async (request, response) => {
      const { since, to, cursor } = recoverDeliveriesRequest.parse(request.body)
      const part = { since: instantOf(since), to, after: readCursor(cursor) }
      const { replayed, skipped, next } = await recoverDeliveries(merchantOf(response).merchantId, part)
      response.status(202).json({ data: { count: replayed, skipped }, next_cursor: next ? writeCursor(next) : null })
    })
    .post('/api/v1/webhooks/deliveries/:id/resend', requireMerchant('webhooks'), async (request, response) => {
      const { to } = resendDeliveryRequest.parse(request.body)
      const id = String(request.params['id'])
      await resend.ofMerchant(merchantOf(response).merchantId, id, to)
      response.status(202).json({ data: { id } })
    })
}
