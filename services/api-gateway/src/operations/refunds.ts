import {
  createRefundSchema,
  findRefundSchema,
  listRefundsSchema,
  refundResponseSchema,
  refundsPageSchema,
} from '@gateway/contracts'
import { ledger, read, write } from './forwarding.ts'
import type { Operations } from './operation.ts'

const tag = 'refunds'
const look = { ...ledger, tag, method: 'GET' } as const

/** The operations on refunds (design, section 10). */
export const refundOperations = {
  listRefunds: {
    ...look,
    path: '/api/v1/refunds',
    summary: 'List refunds, newest first',
    description:
      'Newest first, by the time of their creation. The scope read is needed. A page may be short, even empty, while next_cursor is not null: send it as cursor, with the same filters, until it is null. Status changes that were published by as_of are in the answer; findRefund has the state of one refund now. A pending_reason that changed without its status is only there.',
    query: listRefundsSchema,
    answers: { 200: refundsPageSchema },
    refusals: [404],
  },
  createRefund: {
    ...write,
    to: 'paymentStatus',
    repeatable: true,
    tag,
    method: 'POST',
    path: '/api/v1/refunds',
    summary: 'Refund a paid order, in full or in part; sending the same fields again returns the same refund',
    description:
      'Gives money of a paid order back to the instrument that paid. 201 means accepted: the refund is pending until the network answers, and a webhook reports each status. Until a refund has clearly failed, its amount cannot be refunded again. The audit has each refund: while it cannot be written, the answer is 503 audit_unavailable and nothing is refunded. reason is other when it is left out. The scope refunds is needed. 409 is refund_id_conflict, order_not_refundable, refund_exceeds_captured, refund_window_closed, too_many_refunds or refunds_not_supported.',
    request: createRefundSchema,
    example: { amount: '200.00', order_id: 'ORD-1001', reason: 'returned', refund_id: 'RF-1' },
    answers: { 200: refundResponseSchema, 201: refundResponseSchema },
    refusals: [404, 409],
  },
  findRefund: {
    ...read,
    to: 'paymentStatus',
    tag,
    method: 'GET',
    path: '/api/v1/refunds/{id}',
    summary: 'Get a refund',
    description:
      'By the id that createRefund returned, or by your own refund_id with the order_id in the query. The scope read or refunds is needed. Search lists all refunds of an order.',
    query: findRefundSchema,
    answers: { 200: refundResponseSchema },
    refusals: [404],
  },
} satisfies Operations
