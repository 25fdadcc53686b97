import { networkReportSchema, refundReportSchema, simulateResponseSchema, simulateSchema } from '@gateway/contracts'
import { write } from './forwarding.ts'
import type { Operations } from './operation.ts'

// `callbacks` is payment-status, by connections of its own.
const callback = { to: 'callbacks', caller: 'network', rate: 'read', repeatable: true, method: 'POST', tag: 'network' } as const

/** Reports of the payment network, and simulated payments. */
export const networkOperations = {
  reportPayment: {
    ...callback,
    hot: true,
    path: '/network/v1/callbacks',
    summary: 'Report the status of a payment; sent by the network, signed (Standard Webhooks headers)',
    description:
      'The network calls this operation until it answers 200. Reports are deduplicated, and the signature covers the exact bytes of the body.',
    request: networkReportSchema,
    example: {
      amount: '499.00',
      method: 'upi',
      outcome: 'success',
      reference: 'NPCI-123456',
      rrn: '123456789012',
      tr: '01KAE8T000000000000000000000',
    },
    answers: { 200: null },
    refusals: [401],
  },
  reportRefund: {
    ...callback,
    path: '/network/v1/callbacks/refunds',
    summary: 'Report the status of a refund; sent by the network, signed (Standard Webhooks headers)',
    description: 'The network calls this operation until it answers 200. The signature covers the exact bytes of the body.',
    request: refundReportSchema,
    example: { amount: '200.00', refund_id: '01KAE8T000000000000000000000R01', rrn: '123456789012', status: 'succeeded' },
    answers: { 200: null },
    refusals: [401],
  },
  simulate: {
    ...write,
    to: 'networkSimulator',
    repeatable: false,
    only: 'simulator',
    tag: 'sandbox',
    method: 'POST',
    path: '/api/v1/sandbox/simulate',
    summary: 'Choose what a simulated bank or UPI app does with an order of this merchant',
    description: 'Sandbox only. The outcome reaches the merchant like that of a real payment: as a status change and a webhook.',
    request: simulateSchema,
    example: { order_id: 'ORD-1001', outcome: 'success' },
    answers: { 202: simulateResponseSchema },
    refusals: [404, 409],
  },
} satisfies Operations
