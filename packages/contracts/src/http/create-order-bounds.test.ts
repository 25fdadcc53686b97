import { createOrderRequest } from './create-order.ts'

/** Every limit of a field, at its edge: the last value that passes and the first that does not. */
const check = { sandbox: createOrderRequest({ sandbox: true }), production: createOrderRequest({ sandbox: false }) }
const order = {
  order_id: 'ORD-1001',
  amount: '499.00',
  customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
}
const customer = (fields: object) => ({ customer: { ...order.customer, ...fields } })
/** A valid address of so many characters. */
const email = (length: number) => `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(3)}${'c'.repeat(length - 247)}.in`
const url = (length: number) => `https://shop.example/${'x'.repeat(length - 21)}`

// Proves: state/max-attempts-1-5-default-1, state/expires-in-300-3600-s-default-1200, api/create-field-formats
// Proves: api/amount-is-text-in-rupees, api/currency-is-inr, api/no-control-characters
// Proves: faults/nul-lone-surrogates-text
test.each<[string, object, object]>([
  ['order_id is long enough', { order_id: 'abc' }, { order_id: 'ab' }],
  ['order_id is not too long', { order_id: 'x'.repeat(45) }, { order_id: 'x'.repeat(46) }],
  ['order_id has letters, digits, _ and -', { order_id: 'aZ_-9' }, { order_id: 'a.b' }],
  ['amount has eight digits before the point', { amount: '10000000.00' }, { amount: '100000000.00' }],
  ['amount has two digits after the point', { amount: '1.99' }, { amount: '1.999' }],
  ['amount is text', { amount: '499' }, { amount: 499 }],
  ['customer.name is not empty', customer({ name: 'A' }), customer({ name: '' })],
  ['customer.name is not too long', customer({ name: 'x'.repeat(100) }), customer({ name: 'x'.repeat(101) })],
  ['customer.email is not too long', customer({ email: email(254) }), customer({ email: email(255) })],
  ['customer.email has no control characters', customer({ email: 'a@b.in' }), customer({ email: 'a\u0000@b.in' })],
  ['customer.phone begins with 6 to 9', customer({ phone: '6000000000' }), customer({ phone: '5999999999' })],
  ['customer.phone has ten digits', customer({ phone: '9876543210' }), customer({ phone: '98765432101' })],
  ['customer.phone is foreign with its country', customer({ phone: '+1 (415) 555-2671' }), customer({ phone: '4155552671' })],
  [
    'customer.phone is not too long',
    customer({ phone: `98765${' '.repeat(30)}43210` }),
    customer({ phone: `98765${' '.repeat(31)}43210` }),
  ],
  ['customer.id has no control characters', customer({ id: 'C' }), customer({ id: 'C\u0000' })],
  ['customer has no other fields', customer({}), customer({ vip: true })],
  ['currency is INR', { currency: 'INR' }, { currency: 'inr' }],
  ['description is not too long', { description: 'x'.repeat(50) }, { description: 'x'.repeat(51) }],
  ['description has no control characters', { description: 'a b' }, { description: 'a\tb' }],
  ['return_url is not too long', { return_url: url(250) }, { return_url: url(251) }],
  ['return_url has no control characters', { return_url: url(30) }, { return_url: `${url(30)}\u0000` }],
  ['max_attempts is at least 1', { max_attempts: 1 }, { max_attempts: 0 }],
  ['max_attempts is at most 5', { max_attempts: 5 }, { max_attempts: 6 }],
  ['expires_in is at most an hour', { expires_in: 3600 }, { expires_in: 3601 }],
  ...(['udf1', 'udf2', 'udf3'] as const).flatMap((name): [string, object, object][] => [
    [`${name} is not too long`, { [name]: 'x'.repeat(256) }, { [name]: 'x'.repeat(257) }],
    [`${name} has no control characters`, { [name]: 'é' }, { [name]: 'a\u0000' }],
    [`${name} is well-formed`, { [name]: '👕' }, { [name]: '\ud83d' }],
  ]),
])('%s', (_rule, good, bad) => {
  for (const checker of Object.values(check)) {
    expect(checker({ ...order, ...good })).toBe(true)
    expect(checker({ ...order, ...bad })).toBe(false)
  }
})

// Proves: state/expires-in-300-3600-s-default-1200
test('an order expires after five minutes at the earliest, in the sandbox after five seconds', () => {
  expect([299, 300].map((seconds) => check.production({ ...order, expires_in: seconds }))).toEqual([false, true])
  expect([4, 5].map((seconds) => check.sandbox({ ...order, expires_in: seconds }))).toEqual([false, true])
})

// Proves: api/create-required-fields
test.each(['order_id', 'amount', 'customer'])('%s is required', (name) => {
  expect(check.production({ ...order, [name]: undefined })).toBe(false)
})

// Proves: api/create-required-fields
test('customer.name is required, and one of customer.email and customer.phone', () => {
  const { name, email, phone } = order.customer
  const accepts = (given: object) => check.production({ ...order, customer: given })
  expect(
    [
      { name, email },
      { name, phone },
      { name, email, phone },
    ].map(accepts),
  ).toEqual([true, true, true])
  expect([{ email, phone }, { name }, { name, email, phone: '' }, { name, email: null, phone }].map(accepts)).not.toContain(true)
})
