import fc from 'fast-check'
import type { CreateOrderRequest } from '@gateway/contracts'
import { fingerprintOf } from './create-order.ts'

const request: CreateOrderRequest = {
  order_id: 'ORD-1',
  amount: '499',
  customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
}

test('the fingerprint depends on fields and values, not on the order of keys or the notation of the amount', () => {
  const shuffled: CreateOrderRequest = { customer: { phone: '9876543210', email: 'asha@example.com', name: 'Asha Rao' }, amount: '499.00', order_id: 'ORD-1' } // prettier-ignore
  expect(fingerprintOf(shuffled)).toBe(fingerprintOf(request))
})

// Proves: api/repeated-create-gets-original-answer
test('another value, or a default that is sent, makes another fingerprint', () => {
  const others: CreateOrderRequest[] = [
    { ...request, amount: '499.01' },
    { ...request, currency: 'INR' },
    { ...request, udf1: '' },
    { ...request, customer: { ...request.customer, id: 'C1' } },
    { ...request, methods: ['upi', 'card'] },
    { ...request, methods: ['card', 'upi'] },
  ]
  expect(new Set([request, ...others].map(fingerprintOf)).size).toBe(others.length + 1)
})

test('different texts never share a fingerprint', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(fingerprintOf({ ...request, udf1: one }) === fingerprintOf({ ...request, udf1: other })).toBe(one === other)
    }),
  )
})
