import { Router } from 'express'
import {
  CAPABILITIES_PATH,
  compile,
  NETWORK_REFUNDS_PATH,
  networkRefundRequest,
  refundReportSchema,
  type Capabilities,
  type RefundEnquiryResponse,
} from '@gateway/contracts'
import { requireBearer } from '@gateway/service-kit/http'
import type { RefundPayments } from '../use-cases/refund-payment.ts'
import { requireKey } from './network-routes.ts'

export const refundQuerySchema = {
  type: 'object',
  required: ['refund_id'],
  properties: { refund_id: refundReportSchema.properties.refund_id },
} as const
const refundQuery = compile(refundQuerySchema)

/** Version 2 of the network contract (contracts, network-refunds.ts and network-capabilities.ts). */
export function refundRoutes(refunds: RefundPayments, capabilities: Capabilities, apiKey: string): Router {
  return Router()
    .use('/network/v1', requireBearer(apiKey))
    .get(CAPABILITIES_PATH, (_request, response) => {
      response.json(capabilities)
    })
    .post(NETWORK_REFUNDS_PATH, async (request, response) => {
      const body = networkRefundRequest.parse(request.body)
      requireKey(request, body.refund_id)
      const answer = await refunds.request(body)
      if (answer === 'lost') response.destroy()
      else response.json(answer)
    })
    .get(NETWORK_REFUNDS_PATH, async (request, response) => {
      const { refund_id } = refundQuery.parse(request.query)
      const found = await refunds.find(refund_id)
      response.json({ refund_id, refunds: found ? [found] : [] } satisfies RefundEnquiryResponse)
    })
}
