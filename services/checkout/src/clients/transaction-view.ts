import {
  ATTEMPT_STATUSES,
  compile,
  FAILURE_REASONS,
  ORDER_METHODS,
  PAYMENT_METHODS,
  TRANSACTION_STATUSES,
  type TransactionView,
} from '@gateway/contracts'

const attemptSchema = {
  type: 'object',
  required: ['id', 'method', 'status', 'failure_reason'],
  properties: {
    id: { type: 'string' },
    method: { enum: PAYMENT_METHODS },
    status: { enum: ATTEMPT_STATUSES },
    failure_reason: { enum: [...FAILURE_REASONS, null] },
  },
} as const

/** True for a view that has every field the page reads; any other answer is unusable. */
export const isTransactionView = compile<TransactionView>({
  type: 'object',
  required: [
    'id',
    'order_id',
    'merchant',
    'status',
    'amount',
    'description',
    'methods',
    'failure_reason',
    'attempts',
    'attempts_left',
    'payable',
    'closing',
    'return_url',
    'expires_at',
    'checkout',
  ],
  properties: {
    id: { type: 'string' },
    order_id: { type: 'string' },
    merchant: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    status: { enum: TRANSACTION_STATUSES },
    amount: { type: 'string' },
    description: { type: 'string' },
    methods: { type: 'array', items: { enum: ORDER_METHODS } },
    failure_reason: { enum: [...FAILURE_REASONS, null] },
    attempts: { type: 'array', items: attemptSchema },
    attempts_left: { type: 'integer' },
    payable: { type: 'boolean' },
    closing: { enum: ['cancelled', 'expired', null] },
    return_url: { type: ['string', 'null'] },
    expires_at: { type: 'string', format: 'date-time' },
    checkout: { type: ['object', 'null'], required: ['intent'], properties: { intent: { type: 'string' } } },
  },
})
