import { Router } from 'express'
import { compile, ORDER_ID_SCHEMA } from '@gateway/contracts'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import type { ReadTimeline } from '../use-cases/read-timeline.ts'

/** The order id becomes part of a path at payment-status, so no other characters may be in it. */
const parameters = compile({ type: 'object', required: ['orderId'], properties: { orderId: ORDER_ID_SCHEMA } })

/** `GET /api/v1/orders/:orderId/timeline`. */
export function timelineRoute(identify: Identify, readTimeline: ReadTimeline): Router {
  return Router().get('/api/v1/orders/:orderId/timeline', async (request, response) => {
    const { merchantId } = await identify(request, 'read')
    const { orderId } = parameters.parse(request.params)
    response.json(await readTimeline(merchantId, orderId))
  })
}
