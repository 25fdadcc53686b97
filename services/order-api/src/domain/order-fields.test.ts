import { orderTextsOf, type CreateOrderRequest, type OrderTexts } from '@gateway/contracts'
import { draftOrder, orderCreatedEvent } from './order.ts'

/** Every optional text of an order, each with its name as the value. */
const texts = Object.fromEntries(Object.keys(orderTextsOf({})).map((name) => [name, name])) as Record<keyof OrderTexts, string>

/** Every value differs from every other and from every default, so that mixed-up fields are noticed. */
const request: CreateOrderRequest = {
  order_id: 'ORD-7',
  amount: '123.45',
  currency: 'INR',
  customer: { id: 'C-9', name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
  methods: ['card', 'upi'],
  expires_in: 300,
  max_attempts: 3,
  ...texts,
}
const now = new Date('2026-01-01T12:00:00Z')
const merchant = { id: 'M1', name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' }
const upiCap = { defaultPaise: 10_000_000, byMcc: new Map<string, number>() }
const order = draftOrder(request, {
  merchant,
  transactionId: 'T1',
  fingerprint: 'f',
  correlationId: 'corr-1',
  now,
  limits: { minAmountPaise: 100, maxAmountPaise: 1_000_000_000, upiCap },
})

// Proves: api/requested-values-are-kept
test('every field of the request is kept', () => {
  expect(order).toEqual({
    merchant,
    order_id: 'ORD-7',
    transaction_id: 'T1',
    amount_paise: 12_345,
    texts,
    customer: request.customer,
    methods: ['card', 'upi'],
    max_attempts: 3,
    fingerprint: 'f',
    correlation_id: 'corr-1',
    created_at: now,
    expires_at: new Date('2026-01-01T12:05:00Z'),
  })
})

// Proves: spec/2-1-udf1-udf2-udf3-passed
test('the event holds every field except the customer', () => {
  expect(orderCreatedEvent({ ...order, intent: 'upi://pay?tr=T1' })).toMatchObject({
    id: 'T1.0',
    correlation_id: 'corr-1',
    occurred_at: now.toISOString(),
    data: {
      transaction_id: 'T1',
      order_id: 'ORD-7',
      merchant,
      amount_paise: 12_345,
      currency: 'INR',
      methods: ['card', 'upi'],
      max_attempts: 3,
      intent: 'upi://pay?tr=T1',
      ...texts,
      created_at: now.toISOString(),
      expires_at: '2026-01-01T12:05:00.000Z',
    },
  })
})
