import { AMOUNT_PATTERN } from '../money.ts'
import { TRANSACTION_ID_PATTERN } from '../ids.ts'
import { compile, type FromSchema } from '../schema.ts'
import { NETWORK_OUTCOMES, PAYMENT_METHODS } from '../transaction.ts'

const REFERENCE_SCHEMA = { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' } as const

/**
 * One payment as the network reports it: the body of a callback, and an entry of an enquiry's answer. Unknown fields are
 * ignored, since networks add fields.
 */
export const networkReportSchema = {
  type: 'object',
  required: ['reference', 'tr', 'outcome', 'amount', 'method'],
  properties: {
    /** The network's own id of the payment; one capture has one reference. */
    reference: REFERENCE_SCHEMA,
    tr: { type: 'string', pattern: TRANSACTION_ID_PATTERN },
    attempt_id: { type: 'string', minLength: 1, maxLength: 64 },
    outcome: { enum: NETWORK_OUTCOMES },
    amount: { type: 'string', pattern: AMOUNT_PATTERN },
    rrn: { type: 'string', maxLength: 35, pattern: '^[A-Za-z0-9]*$' },
    method: { enum: PAYMENT_METHODS },
    payer: {
      type: 'object',
      required: ['name', 'vpa'],
      properties: { name: { type: 'string', maxLength: 100 }, vpa: { type: 'string', maxLength: 320 } },
    },
    reason: { type: 'string', maxLength: 200 },
    /** One of `FAILURE_CODES`; any other text counts as `unknown`. Optional in version 1 of the contract. */
    reason_code: { type: 'string', maxLength: 200 },
    /** The code of the bank or the UPI network as it is, for the operator. */
    network_code: { type: 'string', maxLength: 200 },
  },
} as const

export type NetworkReport = FromSchema<typeof networkReportSchema>
export const networkReport = compile(networkReportSchema)
