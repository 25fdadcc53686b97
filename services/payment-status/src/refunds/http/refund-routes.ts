import { Router, type Request } from 'express'
import { createRefundRequest, findRefundQuery, Refused, type RefundResponse } from '@gateway/contracts'
import type { Identify, MerchantIdentity } from '@gateway/service-kit/merchant-auth'
import { toRefundView } from '../../payments/index.ts'
import type { FoundRefund, Refunds } from '../use-cases/refunds.ts'

/** `POST /api/v1/refunds` and `GET /api/v1/refunds/:id` (design, section 10). */
export function refundRoutes({ identify, refunds }: { identify: Identify; refunds: Refunds }): Router {
  return Router()
    .post('/api/v1/refunds', async (request, response) => {
      const caller = await identify(request, 'refunds')
      const { isNew, ...found } = await refunds.create(caller, createRefundRequest.parse(request.body))
      response.status(isNew ? 201 : 200).json(toResponse(found))
    })
    .get('/api/v1/refunds/:id', async (request, response) => {
      const { merchantId } = await mayRead(identify, request)
      const { order_id: orderId } = findRefundQuery.parse({ ...request.query })
      response.json(toResponse(await refunds.find(merchantId, request.params.id, orderId)))
    })
}

/** Scope `refunds` or `read`: a credential that may refund can also see its refunds. */
async function mayRead(identify: Identify, request: Request): Promise<MerchantIdentity> {
  try {
    return await identify(request, 'read')
  } catch (error) {
    if (error instanceof Refused && error.code === 'scope_missing') return identify(request, 'refunds')
    throw error
  }
}

function toResponse({ transaction, refund }: FoundRefund): RefundResponse {
  return { data: { refund: toRefundView(transaction, refund) } }
}
