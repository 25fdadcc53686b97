import { ValidationFailed } from '../errors.ts'
import { createOrderRequest } from './create-order.ts'

const sandbox = createOrderRequest({ sandbox: true })
const production = createOrderRequest({ sandbox: false })
const order = {
  order_id: 'ORD-1001',
  amount: '499.00',
  customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
}

function badFields(body: unknown, check = sandbox): string[] {
  try {
    check.parse(body)
    return []
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors.map(({ field }) => field).sort()
    throw error
  }
}

// Proves: spec/one-integration-accepts-cards-net-banking
test('an order with only the required fields and one with every field pass', () => {
  expect(badFields(order)).toEqual([])
  const full = {
    ...order,
    currency: 'INR',
    description: 'नीली कमीज़ 👕',
    customer: { ...order.customer, id: 'C-9', phone: '+919876543210' },
    methods: ['upi', 'card'],
    return_url: 'https://shop.example/back?x=1',
    expires_in: 300,
    max_attempts: 5,
    udf1: '',
    udf2: 'a',
    udf3: 'x'.repeat(256),
  }
  expect(badFields(full)).toEqual([])
  expect(badFields(full, production)).toEqual([])
})

// Proves: api/unknown-request-properties-refused, api/errors-name-all-bad-fields
// Proves: faults/wrong-fields
test('the answer names every bad field', () => {
  expect(badFields({ amount: 5, customer: { name: '', email: 'no', phone: '12' }, surprise: 1, currency: 'USD' })).toEqual([
    '/amount',
    '/currency',
    '/customer/email',
    '/customer/name',
    '/customer/phone',
    '/order_id',
    '/surprise',
  ])
})

test.each([
  ['many bad fields gets a short list of them', 600, 100],
  ['more bad fields than any honest body has gets the first', 6000, 1],
])('a body with %s', (_name, count, listed) => {
  const nonsense = Object.fromEntries(Array.from({ length: count }, (_, index) => [`field-${index}`, 1]))
  expect(badFields({ ...order, ...nonsense })).toHaveLength(listed)
})

test('checking a long list takes linear time', () => {
  let looks = 0
  const methods = Array.from({ length: 300 }, () => new Proxy({}, { get: () => (looks += 1) }))
  expect(badFields({ ...order, methods })).toContain('/methods/0')
  expect(looks).toBeLessThan(10 * methods.length)
})

// Proves: api/methods-default-to-all, api/return-url-is-https
// Proves: api/no-control-characters, faults/wrong-fields, faults/malformed-amounts
// Proves: faults/nul-lone-surrogates-text
test.each([
  ['/', [order]],
  ['/', null],
  ['/', 'text'],
  ['/order_id', { ...order, order_id: 'ab' }],
  ['/order_id', { ...order, order_id: 'a b c' }],
  ['/order_id', { ...order, order_id: 'x'.repeat(46) }],
  ['/order_id', { ...order, order_id: { $gt: '' } }],
  ['/order_id', { ...order, order_id: 'abc\n' }],
  ['/amount', { ...order, amount: '1e3' }],
  ['/amount', { ...order, amount: '1.005' }],
  ['/amount', { ...order, amount: ' 5' }],
  ['/amount', { ...order, amount: '-1' }],
  ['/description', { ...order, description: 'a\u0000b' }],
  ['/description', { ...order, description: '\ud800' }],
  ['/description', { ...order, description: 'x'.repeat(51) }],
  ['/customer', { ...order, customer: 'Asha' }],
  ['/customer/name', { ...order, customer: { ...order.customer, name: 'A\u0007' } }],
  ['/customer/email', { ...order, customer: { ...order.customer, email: `${'a'.repeat(250)}@b.co` } }],
  ['/customer/phone', { ...order, customer: { ...order.customer, phone: '5876543210' } }],
  ['/methods', { ...order, methods: [] }],
  ['/methods/0', { ...order, methods: ['cash'] }],
  ['/methods', { ...order, methods: ['upi', 'upi'] }],
  ['/return_url', { ...order, return_url: 'http://shop.example/' }],
  ['/return_url', { ...order, return_url: 'http://localhost.evil.example/' }],
  ['/return_url', { ...order, return_url: 'javascript:alert(1)' }],
  ['/return_url', { ...order, return_url: 'https://shop.example@evil.example/' }],
  ['/return_url', { ...order, return_url: 'https://evil.example\\@shop.example' }],
  ['/description', { ...order, description: 'pay \u202e001 to' }],
  ['/expires_in', { ...order, expires_in: 4 }],
  ['/expires_in', { ...order, expires_in: 3601 }],
  ['/expires_in', { ...order, expires_in: 10.5 }],
  ['/expires_in', { ...order, expires_in: '300' }],
  ['/max_attempts', { ...order, max_attempts: 6 }],
  ['/udf1', { ...order, udf1: null }],
  ['/__proto__', JSON.parse(JSON.stringify(order).replace('{', '{"__proto__":{"a":1},'))],
])('%s is refused', (field, body) => {
  expect(badFields(body)).toEqual([field])
})

// Proves: api/return-url-is-https
test('the sandbox allows short expiries and a return to localhost', () => {
  for (const extra of [
    { expires_in: 5 },
    { return_url: 'http://localhost:3000/back' },
    { return_url: 'http://localhost:3000?paid=1' },
  ]) {
    expect(badFields({ ...order, ...extra })).toEqual([])
    expect(badFields({ ...order, ...extra }, production)).toHaveLength(1)
  }
})
