import {
  ATTEMPT_STATUSES,
  FAILURE_CODES,
  FAILURE_REASONS,
  PAYMENT_METHODS,
  REVERSAL_REASONS,
  REVERSAL_STATUSES,
  TRANSACTION_STATUSES,
  type AttemptView,
  type CheckoutLinks,
  type CreateOrderResponse,
  type CustomerView,
  type Payer,
  type ReversalView,
  type SearchOrderResponse,
} from '@gateway/contracts'
import { refundSchema } from './refund-paths.ts'
import { amount, integer, listOf, objectOf, orNull, text, textOrNull, time, timeOrNull } from './schema-helpers.ts'

const id = {
  type: 'string',
  description: 'uppercase letters and digits, at most 35; also the UPI transaction reference',
} as const
const currency = { const: 'INR' } as const
const method = { enum: PAYMENT_METHODS }
const failureReason = { enum: [...FAILURE_REASONS, null] }
const failureCode = { enum: [...FAILURE_CODES, null] }

const checkoutLinks = objectOf<CheckoutLinks>({
  url: { type: 'string', format: 'uri', description: 'the hosted checkout page' },
  intent: { type: 'string', description: 'the UPI link; empty when the order does not accept UPI' },
})

type Created = CreateOrderResponse['data']
export const createOrderResponseSchema = objectOf<CreateOrderResponse>({
  data: objectOf<Created>({
    order: objectOf<Created['order']>({ order_id: text }),
    transaction: objectOf<Created['transaction']>({
      id,
      status: { const: 'Initiate' },
      amount,
      currency,
      created_at: time,
      expires_at: time,
    }),
  }),
  checkout: checkoutLinks,
})

const attempt = objectOf<AttemptView>({
  id: text,
  method,
  status: { enum: ATTEMPT_STATUSES },
  failure_reason: failureReason,
  failure_code: failureCode,
  reference: textOrNull,
  rrn: { ...textOrNull, description: "the bank's number of the payment, which the shopper's bank shows, too" },
  started_at: time,
  ended_at: timeOrNull,
})

const reversal = objectOf<ReversalView>({
  reference: text,
  amount,
  reason: { enum: REVERSAL_REASONS },
  status: { enum: REVERSAL_STATUSES },
  rrn: { ...textOrNull, description: "the bank's number of the reversal; null until the network has told it" },
  requested_at: time,
  completed_at: timeOrNull,
})

const customer = objectOf<CustomerView>({ id: textOrNull, name: textOrNull, email: textOrNull, phone: textOrNull })

type Found = SearchOrderResponse['data']
export const searchOrderResponseSchema = objectOf<SearchOrderResponse>({
  data: objectOf<Found>({
    order: objectOf<Found['order']>({
      order_id: text,
      description: text,
      customer,
      udf1: text,
      udf2: text,
      udf3: text,
      return_url: textOrNull,
    }),
    transaction: objectOf<Found['transaction']>({
      id,
      status: { enum: TRANSACTION_STATUSES },
      amount,
      currency,
      method: { enum: [...PAYMENT_METHODS, null] },
      rrn: textOrNull,
      failure_reason: failureReason,
      failure_code: failureCode,
      payer: orNull(objectOf<Payer>({ name: text, vpa: text })),
      attempts: listOf(attempt),
      reversals: listOf(reversal),
      refunds: listOf(refundSchema),
      amount_refunded: { ...amount, description: 'the sum of the succeeded refunds, in rupees with two decimals' },
      amount_refundable: {
        ...amount,
        description: 'what can still be refunded, in rupees with two decimals: the capture without pending and succeeded refunds',
      },
      sequence: integer,
      created_at: time,
      updated_at: time,
      expires_at: time,
    }),
  }),
  checkout: orNull(checkoutLinks),
})
