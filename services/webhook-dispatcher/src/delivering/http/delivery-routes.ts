import { Router } from 'express'
import { instantOf, listDeliveriesQuery, recoverDeliveriesRequest, resendDeliveryRequest } from '@gateway/contracts'
import type { Audited } from '@gateway/service-kit'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import { DEFAULT_LIMIT, deliveryView, pageView, readCursor, type ReadDeliveries, writeCursor } from '../../deliveries/index.ts'
import { emptyBody } from '../../endpoints/index.ts'
import type { LimitRecoveries, RecoverDeliveries } from '../use-cases/replay.ts'
import type { Resend } from '../use-cases/resend.ts'
import type { SendTestEvent } from '../use-cases/send-test-event.ts'

export interface DeliveryRoutesOptions {
  readonly identify: Identify
  readonly readDeliveries: Pick<ReadDeliveries, 'ofMerchant'>
  readonly recoverDeliveries: RecoverDeliveries
  readonly limitRecoveries: LimitRecoveries
  readonly resend: Pick<Resend, 'ofMerchant'>
  readonly sendTestEvent: SendTestEvent
  readonly audited: Audited
}

/** Routes for a merchant's own deliveries (design, section 5). What sends a webhook of an order is audited. */
export function deliveryRoutes(options: DeliveryRoutesOptions): Router {
  const { identify, readDeliveries, recoverDeliveries, limitRecoveries, resend, sendTestEvent, audited } = options
  return Router()
    .get('/api/v1/webhooks/deliveries', async (request, response) => {
      const { merchantId } = await identify(request, 'read')
      const { order_id: orderId, limit, cursor } = listDeliveriesQuery.parse({ ...request.query })
      const page = { limit: Number(limit ?? DEFAULT_LIMIT), after: readCursor(cursor) }
      response.json(pageView(await readDeliveries.ofMerchant({ merchantId, orderId }, page), deliveryView))
    })
    .post('/api/v1/webhooks/deliveries/recover', async (request, response) => {
      const { merchantId } = await identify(request, 'webhooks')
      const { since, to, cursor } = recoverDeliveriesRequest.parse(request.body)
      const part = { since: instantOf(since), to, after: readCursor(cursor) }
      const action = { who: 'merchant', action: 'deliveries.recover', merchantId, target: part.since.toISOString() }
      // A call that is refused while another one runs is not audited: a flood would fill the audit.
      const { replayed, skipped, next } = await limitRecoveries(merchantId, () =>
        audited(action, (begin) => recoverDeliveries(merchantId, part, begin)),
      )
      response.status(202).json({ data: { count: replayed, skipped }, next_cursor: next ? writeCursor(next) : null })
    })
    .post('/api/v1/webhooks/deliveries/:id/resend', async (request, response) => {
      const { merchantId } = await identify(request, 'webhooks')
      const { to } = resendDeliveryRequest.parse(request.body)
      const { id } = request.params
      const action = { who: 'merchant', action: 'delivery.resend', merchantId, target: id }
      await audited(action, (begin) => resend.ofMerchant(merchantId, id, to, begin))
      response.status(202).json({ data: { id } })
    })
    .post('/api/v1/webhooks/test', async (request, response) => {
      const { merchantId } = await identify(request, 'webhooks')
      emptyBody.parse(request.body ?? {})
      const { status_code, duration_ms, error } = await sendTestEvent(merchantId)
      response.json({ data: { status_code, duration_ms, error } })
    })
}
