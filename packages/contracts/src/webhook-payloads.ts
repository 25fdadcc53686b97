import { refundViewSchema } from './http/refunds.ts'
import { REFUND_STATUSES, TRANSACTION_STATUSES } from './transaction.ts'
import { requiredFields, text, time } from './schema-parts.ts'
import type { FromSchema } from './schema.ts'

const { required, properties } = requiredFields({
  txnid: { ...text, description: 'data.transaction.id' },
  merchantTxnId: { ...text, description: 'the order_id' },
  amount: text,
  rrn: { ...text, description: 'empty until known' },
  status: { enum: TRANSACTION_STATUSES },
  metadata: requiredFields({ udf1: text, udf2: text, udf3: text }),
  datetime: { ...text, description: 'the time of the change in IST, YYYY-MM-DD HH:mm:ss' },
})
const payee = { ...requiredFields({ name: text, vpa: text }), description: 'only once a UPI payer is known' } as const

/** The body of a webhook of a payment: exactly the fields of the specification, section 6.2, all of them texts. */
export const webhookPayloadSchema = { type: 'object', required, properties: { ...properties, payee } } as const
export type WebhookPayload = FromSchema<typeof webhookPayloadSchema>

/** The body of a webhook of a refund. */
export const refundWebhookPayloadSchema = requiredFields({
  type: { enum: REFUND_STATUSES.map((status) => `refund.${status}` as const), description: 'refund. and the new status' },
  timestamp: { ...time, description: 'the time of the change' },
  data: refundViewSchema,
})
export type RefundWebhookPayload = FromSchema<typeof refundWebhookPayloadSchema>
