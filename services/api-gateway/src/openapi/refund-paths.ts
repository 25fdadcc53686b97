import {
  createRefundSchema,
  findRefundSchema,
  FAILURE_CODES,
  listRefundsSchema,
  REFUND_PENDING_REASONS,
  REFUND_REASONS,
  REFUND_STATUSES,
  refundReportSchema,
  type RefundResponse,
  type RefundsPage,
  type RefundView,
} from '@gateway/contracts'
import { operation, parameter, signatureHeaders } from './operation.ts'
import { amount, integer, listOf, objectOf, text, textOrNull, time, timeOrNull } from './schema-helpers.ts'

/** A refund in every answer. */
export const refundSchema = objectOf<RefundView>({
  id: { ...text, description: 'the transaction id, R and two digits; at most 29 letters and digits' },
  refund_id: { ...text, description: "the merchant's own id" },
  order_id: { ...text, description: 'the refunded order' },
  transaction_id: { ...text, description: "the order's transaction" },
  amount,
  currency: { const: 'INR' },
  status: { enum: REFUND_STATUSES },
  pending_reason: { enum: [...REFUND_PENDING_REASONS, null] },
  failure_code: { enum: [...FAILURE_CODES, null] },
  rrn: { ...textOrNull, description: "the network's reference number of the refund; null until the network names it" },
  sequence: { ...integer, description: 'counts the changes of status; 1 is the first pending' },
  reason: { enum: REFUND_REASONS },
  note: { ...text, description: "the merchant's own note; empty when there is none" },
  created_at: { ...time, description: 'when the refund was accepted' },
  updated_at: { ...time, description: 'when its status or pending_reason last changed' },
  completed_at: { ...timeOrNull, description: 'when it succeeded or failed; null while it is pending' },
})
const refundResponseSchema = objectOf<RefundResponse>({ data: objectOf<RefundResponse['data']>({ refund: refundSchema }) })

const refundsPage = objectOf<RefundsPage>({
  data: objectOf<RefundsPage['data']>({ refunds: listOf(refundSchema) }),
  next_cursor: { ...textOrNull, description: 'send it as cursor for the next page; null on the last one' },
  as_of: { ...time, description: 'status changes that were published by this time are in the answer' },
})

const tag = 'refunds'

/** The operations on refunds (design, section 10). */
export const refundPaths = {
  '/api/v1/refunds': {
    get: operation({
      id: 'listRefunds',
      summary: 'List refunds, newest first',
      tag,
      parameters: Object.entries(listRefundsSchema.properties).map(([name, schema]) => parameter('query', name, schema)),
      responses: { 200: refundsPage },
      refusals: [404, 422],
    }),
    post: operation({
      id: 'createRefund',
      summary: 'Refund a paid order, in full or in part; sending the same fields again returns the same refund',
      tag,
      request: createRefundSchema,
      responses: { 200: refundResponseSchema, 201: refundResponseSchema },
      refusals: [404, 409],
    }),
  },
  '/api/v1/refunds/{id}': {
    get: operation({
      id: 'findRefund',
      summary: 'Get a refund',
      tag,
      parameters: [
        parameter('path', 'id', text),
        ...Object.entries(findRefundSchema.properties).map(([name, schema]) => parameter('query', name, schema)),
      ],
      responses: { 200: refundResponseSchema },
      refusals: [404, 422],
    }),
  },
}

/** Sent by the network. */
export const refundCallbackPaths = {
  '/network/v1/callbacks/refunds': {
    post: operation({
      id: 'reportRefund',
      summary: 'Report the status of a refund; sent by the network, signed (Standard Webhooks headers)',
      tag: 'network',
      parameters: signatureHeaders,
      request: refundReportSchema,
      responses: { 200: null },
      refusals: [401],
      open: true,
    }),
  },
}
