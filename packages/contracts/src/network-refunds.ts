import { AMOUNT_SCHEMA } from './http/create-order.ts'
import { longestText, networkReportSchema } from './network.ts'
import { exactFields, requiredFields, tr } from './schema-parts.ts'
import { compile, type FromSchema } from './schema.ts'
import { REFUND_ID_PATTERN, REFUND_REASONS, REFUND_STATUSES } from './transaction.ts'

/**
 * Refunds in the connector's contract (design, section 10).
 *
 *   POST /network/v1/refunds                  header idempotency-key = refund_id      → 200 RefundReport
 *   GET  /network/v1/refunds?refund_id=…      what the network knows of one refund    → 200 RefundEnquiryResponse ([] = nothing)
 *
 * A repeated request with the same key refunds once and tells the refund's present state.
 */
export const NETWORK_REFUNDS_PATH = '/network/v1/refunds'
/** Where the connector reports refunds at the gateway, signed like reports of payments. */
export const REFUND_CALLBACKS_PATH = '/network/v1/callbacks/refunds'

const refundId = {
  type: 'string',
  pattern: REFUND_ID_PATTERN,
  description: "the gateway's id of the refund, which was the idempotency key",
} as const
const { reference, rrn } = networkReportSchema.properties

export const networkRefundRequestSchema = exactFields({
  refund_id: refundId,
  /** The capture that is refunded: money goes back to the instrument that paid. */
  reference,
  tr,
  amount: AMOUNT_SCHEMA,
  currency: { const: 'INR' },
  reason: { enum: REFUND_REASONS },
})
export type NetworkRefundRequest = FromSchema<typeof networkRefundRequestSchema>
export const networkRefundRequest = compile(networkRefundRequestSchema)

/** Why the network has not ended a refund. */
export const NETWORK_REFUND_WAITS = ['processing', 'insufficient_funds'] as const

/** A refund as the network reports it: in answers, and as the body of a callback. Unknown fields are ignored. */
export const refundReportSchema = requiredFields(
  { refund_id: refundId, status: { enum: REFUND_STATUSES, description: REFUND_STATUSES.join(', ') }, amount: AMOUNT_SCHEMA },
  {
    pending_reason: { enum: NETWORK_REFUND_WAITS, description: NETWORK_REFUND_WAITS.join(' or ') },
    rrn,
    reason_code: longestText(200),
    network_code: longestText(200),
  },
)
export type RefundReport = FromSchema<typeof refundReportSchema>
export const refundReport = compile(refundReportSchema)

export const refundEnquirySchema = requiredFields({
  refund_id: refundId,
  refunds: { type: 'array', maxItems: 1, items: refundReportSchema },
})
export type RefundEnquiryResponse = FromSchema<typeof refundEnquirySchema>
export const refundEnquiryResponse = compile(refundEnquirySchema)
