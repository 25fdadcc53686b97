import { compile, orderCreatedSchema, ValidationFailed, type CreateOrderRequest } from '@gateway/contracts'
import { draftOrder, orderCreatedEvent, type OrderLimits } from './order.ts'
import { isWithinUpiCap, parseUpiCap, type UpiCap } from './upi-cap.ts'

/** What may be published: unknown fields are refused. */
const orderCreated = compile(orderCreatedSchema)

const request: CreateOrderRequest = {
  order_id: 'ORD-1',
  amount: '499',
  customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
}
const cap: UpiCap = { defaultPaise: 100_000, byMcc: new Map([['8062', 500_000]]) }
const limits: OrderLimits = { minAmountPaise: 100, maxAmountPaise: 1_000_000_000, upiCap: cap }
const context = {
  merchant: { id: 'M1', name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
  transactionId: '01KDWPVNG00000000000000000C6',
  fingerprint: 'f',
  correlationId: 'corr-1',
  now: new Date('2026-01-01T12:00:00Z'),
  limits,
}

// Proves: state/max-attempts-1-5-default-1, api/currency-is-inr, api/methods-default-to-all
test('fields that are left out get their defaults', () => {
  expect(draftOrder(request, context)).toMatchObject({
    amount_paise: 49900,
    methods: ['upi', 'card', 'netbanking'],
    max_attempts: 1,
    texts: { description: '', return_url: null, udf1: '' },
    customer: { id: null, name: 'Asha Rao' },
    expires_at: new Date('2026-01-01T12:20:00Z'),
  })
})

test('the event is a valid order.created and holds neither e-mail nor phone nor name of the shopper', () => {
  const event = orderCreatedEvent({ ...draftOrder(request, context), intent: 'upi://pay?tr=T1' })
  expect(orderCreated(event)).toBe(true)
  expect(JSON.stringify(event)).not.toMatch(/asha|9876543210/iu)
})

// Proves: api/amount-range
test.each(['0', '0.99', '10000000.01', '99999999.99'])('an amount of %s is out of bounds', (amount) => {
  expect(() => draftOrder({ ...request, amount }, context)).toThrow(ValidationFailed)
})

// Proves: api/amount-range
test.each(['1.00', '10000000.00'])('an amount of %s is in bounds', (amount) => {
  expect(draftOrder({ ...request, amount, methods: ['card'] }, context).methods).toEqual(['card'])
})

// Proves: api/upi-max-amount-closes-upi
test('above the cap of the merchant category an order takes no UPI', () => {
  expect(draftOrder({ ...request, amount: '1000.01' }, context).methods).toEqual(['card', 'netbanking'])
  const hospital = { ...context, merchant: { ...context.merchant, mcc: '8062' } }
  expect(draftOrder({ ...request, amount: '5000.00' }, hospital).methods).toContain('upi')
  expect(() => draftOrder({ ...request, amount: '1000.01', methods: ['upi'] }, context)).toThrow(ValidationFailed)
})

test('caps are read from text', () => {
  expect(parseUpiCap('1000.00, 8062=5000.00')).toEqual(cap)
  expect(isWithinUpiCap(100_000, '5651', cap)).toBe(true)
})

test.each(['', 'x', '1,2', '100,8062', '100,80=1', '100,8062=x'])('%j is not a list of caps', (text) => {
  expect(parseUpiCap(text)).toBeUndefined()
})
