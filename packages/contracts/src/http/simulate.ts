import { dataOf, exactFields, text, textOrNull } from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { PAYMENT_METHODS } from '../transaction.ts'
import { ORDER_ID_SCHEMA } from './create-order.ts'

/** How a simulated payment ends (README of network-simulator). */
export const SIMULATED_OUTCOMES = [
  'success',
  'failure',
  'pending',
  'expire',
  'late_success',
  'amount_mismatch',
  'network_timeout',
] as const
export type SimulatedOutcome = (typeof SIMULATED_OUTCOMES)[number]

/** The body of `POST /api/v1/sandbox/simulate`. */
export const simulateSchema = exactFields(
  {
    order_id: ORDER_ID_SCHEMA,
    outcome: { enum: SIMULATED_OUTCOMES, description: SIMULATED_OUTCOMES.join(', ') },
  },
  {
    method: {
      enum: PAYMENT_METHODS,
      description: 'a method that the order takes; by default upi, or else the first that it takes',
    },
    delay_ms: {
      type: 'integer',
      minimum: 0,
      maximum: 60_000,
      default: 0,
      description:
        'a whole number of milliseconds from 0 to 60000; until the outcome, and a payment that ends later is reported pending at once',
    },
    duplicates: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      default: 0,
      description: 'a whole number from 0 to 10; how many more times the outcome is reported, under the same webhook-id',
    },
    reorder: {
      type: 'boolean',
      default: false,
      description: 'true or false; pending is reported after the outcome instead of before it',
    },
  },
)
export type SimulateRequest = FromSchema<typeof simulateSchema>
export const simulateRequest = compile(simulateSchema)

/** `202`: the simulation has started. */
export const simulateResponseSchema = dataOf({
  payment_id: { ...textOrNull, description: "the network's reference of the payment; null when there is no payment" },
  order_id: text,
  outcome: { enum: SIMULATED_OUTCOMES },
})
export type SimulateResponse = FromSchema<typeof simulateResponseSchema>
