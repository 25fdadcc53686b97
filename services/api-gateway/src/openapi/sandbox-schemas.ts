import { SIMULATED_OUTCOMES, type SimulateResponse } from '@gateway/contracts'
import { objectOf, text, textOrNull } from './schema-helpers.ts'

export const simulateResponseSchema = objectOf<SimulateResponse>({
  data: objectOf<SimulateResponse['data']>({
    payment_id: { ...textOrNull, description: "the network's reference of the payment; null when there is no payment" },
    order_id: text,
    outcome: { enum: SIMULATED_OUTCOMES },
  }),
})
