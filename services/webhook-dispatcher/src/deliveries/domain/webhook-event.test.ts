import type { RefundStatusChanged } from '@gateway/contracts'
import { endpointIdOf } from '../../endpoints/index.ts'
import { webhookOf } from './webhook-event.ts'

const refund = {
  id: 'T1R01',
  refund_id: 'RF-1',
  order_id: 'ORD-1',
  transaction_id: 'T1',
  amount: '200.00',
  currency: 'INR',
  status: 'succeeded',
  pending_reason: null,
  failure_code: null,
  rrn: '998877665544',
  sequence: 2,
  reason: 'returned',
  note: '',
  created_at: '2026-01-01T12:00:00.000Z',
  updated_at: '2026-01-01T12:00:05.000Z',
  completed_at: '2026-01-01T12:00:05.000Z',
} as const
const event: RefundStatusChanged = {
  id: 'T1R01.2',
  type: 'refund.status-changed',
  version: 1,
  occurred_at: '2026-01-01T12:00:05.000Z',
  correlation_id: 'c',
  data: {
    ...refund,
    merchant_id: 'mer_1',
    reference: 'R1',
    method: 'upi',
    amount_paise: 20_000,
    captured_paise: 49_900,
    refunded_paise: 20_000,
  },
}

// Proves: webhooks/refund-body
test('a refund’s webhook has its type, the time of the change and the refund as the API shows it', () => {
  const { channel, boundAt, body } = webhookOf(event)
  expect([channel, boundAt]).toEqual(['refund', new Date(refund.created_at)])
  expect(JSON.parse(body)).toEqual({ type: 'refund.succeeded', timestamp: event.occurred_at, data: refund })
})

test('each channel has an endpoint of its own; a payment’s is stored under the merchant’s id', () => {
  expect(endpointIdOf({ merchantId: 'mer_1', channel: 'payment' })).toBe('mer_1')
  expect(endpointIdOf({ merchantId: 'mer_1', channel: 'refund' })).toBe('mer_1:refund')
})
