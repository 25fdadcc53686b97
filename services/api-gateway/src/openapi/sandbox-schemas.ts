import { SIMULATED_OUTCOMES, type SimulateResponse } from '@gateway/contracts'
import { text, textOrNull, whole } from './whole.ts'

export const simulateResponseSchema = whole<SimulateResponse>({
  data: whole<SimulateResponse['data']>({
    payment_id: { ...textOrNull, description: "the network's reference; null when nobody pays" },
    order_id: text,
    outcome: { enum: SIMULATED_OUTCOMES },
  }),
})
