import { Router } from 'express'
import { simulateRequest, type SimulateResponse } from '@gateway/contracts'
import { makeRequireMerchant, merchantOf, type VerifyInternalToken } from '@gateway/service-kit/merchant-auth'
import type { Simulate } from '../use-cases/simulate.ts'

/** `POST /api/v1/sandbox/simulate`, behind the gateway: a merchant drives its own order to an outcome. */
export function simulateRoute({ verify, simulate }: { verify: VerifyInternalToken; simulate: Simulate }): Router {
  const requireMerchant = makeRequireMerchant(verify)
  return Router().post('/api/v1/sandbox/simulate', requireMerchant('orders'), async (request, response) => {
    const { order_id, outcome, method, delay_ms = 0, duplicates = 0, reorder = false } = simulateRequest.parse(request.body)
    const payment = await simulate({
      merchantId: merchantOf(response).merchantId,
      orderId: order_id,
      outcome,
      method,
      delayMs: delay_ms,
      duplicates,
      reorder,
    })
    const answer: SimulateResponse = { data: { payment_id: payment?.reference ?? null, order_id, outcome } }
    response.status(202).json(answer)
  })
}
