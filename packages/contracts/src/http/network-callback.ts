import { TRANSACTION_ID_PATTERN } from '../ids.ts'
import { compile, type FromSchema } from '../schema.ts'
import { AMOUNT_SCHEMA } from './create-order.ts'
import { NETWORK_OUTCOMES, PAYMENT_METHODS } from '../transaction.ts'

const REFERENCE_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9._-]+$',
  description: "1 to 64 letters, digits, '.', - or _",
} as const

const text = (maxLength: number) =>
  ({ type: 'string', maxLength, description: `text of at most ${maxLength} characters` }) as const

/**
 * One payment as the network reports it: the body of a callback, and an entry of an enquiry's answer. Unknown fields are
 * ignored, since networks add fields.
 */
export const networkReportSchema = {
  type: 'object',
  required: ['reference', 'tr', 'outcome', 'amount', 'method'],
  properties: {
    /** The network's own id of the payment: one capture has one reference, and no two payments share one. */
    reference: REFERENCE_SCHEMA,
    tr: { type: 'string', pattern: TRANSACTION_ID_PATTERN, description: '1 to 35 uppercase letters and digits' },
    attempt_id: { type: 'string', minLength: 1, maxLength: 64, description: 'text of 1 to 64 characters' },
    outcome: { enum: NETWORK_OUTCOMES, description: NETWORK_OUTCOMES.join(' or ') },
    amount: AMOUNT_SCHEMA,
    rrn: { type: 'string', maxLength: 35, pattern: '^[A-Za-z0-9]*$', description: 'at most 35 letters and digits' },
    method: { enum: PAYMENT_METHODS, description: PAYMENT_METHODS.join(' or ') },
    payer: {
      type: 'object',
      required: ['name', 'vpa'],
      description: 'an object with name and vpa',
      properties: { name: text(100), vpa: text(320) },
    },
    reason: text(200),
    /** One of `FAILURE_CODES`; any other text counts as `unknown`. */
    reason_code: text(200),
    /** The code of the bank or the UPI network as it is, for the operator. */
    network_code: text(200),
  },
} as const

export type NetworkReport = FromSchema<typeof networkReportSchema>
export const networkReport = compile(networkReportSchema)
