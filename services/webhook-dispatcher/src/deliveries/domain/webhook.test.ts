import fc from 'fast-check'
import {
  PAYMENT_METHODS,
  TRANSACTION_STATUSES,
  type RefundStatusChanged,
  type TransactionStatusChanged,
} from '@gateway/contracts'
import { endpointIdOf } from '../../endpoints/index.ts'
import { payloadOf, testPayload, webhookOf } from './webhook.ts'

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
  expect(endpointIdOf({ merchant_id: 'mer_1', channel: 'payment' })).toBe('mer_1')
  expect(endpointIdOf({ merchant_id: 'mer_1', channel: 'refund' })).toBe('mer_1:refund')
})

const text = fc.string({ maxLength: 20 })
const events: fc.Arbitrary<TransactionStatusChanged> = fc.record({
  id: text,
  type: fc.constant('transaction.status-changed' as const),
  version: fc.constant(1 as const),
  occurred_at: fc
    .date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((d) => d.toISOString()),
  correlation_id: text,
  data: fc.record({
    transaction_id: text,
    order_id: text,
    merchant_id: text,
    order_created_at: fc.constant('2026-01-01T00:00:00.000Z'),
    sequence: fc.integer({ min: 1, max: 9 }),
    status: fc.constantFrom(...TRANSACTION_STATUSES),
    amount_paise: fc.integer({ min: 1, max: 1_000_000_000 }),
    currency: fc.constant('INR' as const),
    method: fc.constantFrom(...PAYMENT_METHODS, null),
    rrn: fc.option(text),
    payer: fc.option(fc.record({ name: text, vpa: text })),
    failure_reason: fc.constantFrom('declined' as const, null),
    udf1: text,
    udf2: text,
    udf3: text,
  }),
})

const leaves = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]

const successful: TransactionStatusChanged = {
  id: '01J.3',
  type: 'transaction.status-changed',
  version: 1,
  occurred_at: '2026-01-01T18:30:05.000Z',
  correlation_id: 'c-1',
  data: {
    transaction_id: '01J',
    order_id: 'ORD-1',
    merchant_id: 'mer_1',
    order_created_at: '2026-01-01T18:00:00.000Z',
    sequence: 3,
    status: 'Success',
    amount_paise: 49_950,
    currency: 'INR',
    method: 'upi',
    rrn: '123456789012',
    payer: { name: 'Asha Rao', vpa: 'asha@bank' },
    failure_reason: null,
    udf1: 'a',
    udf2: '',
    udf3: 'c',
  },
}

// Proves: spec/2-1-order-id-merchants-own-comes, spec/2-1-udf1-udf2-udf3-passed, spec/6-2-txnid-data-transaction-id
// Proves: spec/6-2-amount-final-amount, spec/6-2-rrn-retrieval-reference-bank, spec/6-2-payee-name-payee-vpa
// Proves: spec/6-2-metadata-udf1-udf2-udf3, spec/6-2-datetime-time-event-yyyy, webhooks/datetime-in-ist
test('the payload of a paid UPI order has exactly the fields of the specification', () => {
  expect(payloadOf(successful)).toEqual({
    txnid: '01J',
    merchantTxnId: 'ORD-1',
    amount: '499.50',
    rrn: '123456789012',
    status: 'Success',
    payee: { name: 'Asha Rao', vpa: 'asha@bank' },
    metadata: { udf1: 'a', udf2: '', udf3: 'c' },
    datetime: '2026-01-02 00:00:05',
  })
})

// Proves: spec/6-2-payee-name-payee-vpa, webhooks/payee-when-payer-known
test.each([
  ['no payer is known', { payer: null }],
  ['it was paid by card', { method: 'credit_card' as const }],
  ['no method is known', { method: null }],
])('there is no payee when %s', (_why, fields) => {
  expect(payloadOf({ ...successful, data: { ...successful.data, ...fields } })).not.toHaveProperty('payee')
})

// Proves: spec/6-only-event-transaction-status-notification, spec/6-2-shape-exactly-these-fields
// Proves: webhooks/body-fields
test('for any event every value is a string, metadata is complete, and the keys are the same', () => {
  fc.assert(
    fc.property(events, (event) => {
      const { payee, ...payload } = payloadOf(event)
      expect(Object.keys(payload)).toEqual(['txnid', 'merchantTxnId', 'amount', 'rrn', 'status', 'metadata', 'datetime'])
      expect(Object.keys(payload.metadata)).toEqual(['udf1', 'udf2', 'udf3'])
      for (const leaf of leaves({ payee: payee ?? {}, payload })) expect(typeof leaf).toBe('string')
      expect(payload.datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/u)
      expect(payee !== undefined).toBe(event.data.payer !== null && event.data.method === 'upi')
      expect(payload.rrn).toBe(event.data.rrn ?? '')
    }),
  )
})

test('a test event has the fields of a real one', () => {
  expect(Object.keys(testPayload('01J', new Date(0)))).toEqual(Object.keys(payloadOf(successful)))
})
