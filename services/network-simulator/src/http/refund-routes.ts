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
import { REFUND_WINDOW_DAYS } from '../domain/decide-refund.ts'
import type { RefundPayments } from '../use-cases/refund-payment.ts'
import { requireKey } from './network-routes.ts'

/** The simulator's capabilities. It accepts UPI payments by VPA, which real acquirers no longer do, and makes no UPI links. Testers set its downtimes. */
export const CAPABILITIES: Capabilities = {
  contract: 2,
  refunds: { window_days: REFUND_WINDOW_DAYS, partial: true },
  intents: false,
  upi_collect: true,
  downtimes: true,
  // It can be asked about a payment at any time, and as often as the contract can say.
  enquiry: { first_after_ms: 0, max: 1000 },
}

export const refundQuerySchema = {
  type: 'object',
  required: ['refund_id'],
  properties: { refund_id: refundReportSchema.properties.refund_id },
} as const
const refundQuery = compile(refundQuerySchema)

/** Version 2 of the network contract (contracts, network-refunds.ts and network-capabilities.ts). */
export function refundRoutes(refunds: RefundPayments, apiKey: string): Router {
  return Router()
    .use('/network/v1', requireBearer(apiKey))
    .get(CAPABILITIES_PATH, (_request, response) => {
      response.json(CAPABILITIES)
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
