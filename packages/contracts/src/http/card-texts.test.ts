import { ValidationFailed } from '../errors.ts'
import { compileReader, type JsonSchema } from '../schema.ts'
import { createOrderRequest, createOrderSchema } from './create-order.ts'
import { newCredentialSchema } from './credentials.ts'
import { createRefundSchema } from './refunds.ts'
import { simulateSchema } from './simulate.ts'
import { registerEndpointSchema } from './webhooks.ts'

/** No text that a merchant sends is stored with a card number in it. */
const CARD = '4111111111111111'
const schemas: Readonly<Record<string, JsonSchema>> = {
  'create, sandbox': createOrderSchema({ sandbox: true }),
  'create, production': createOrderSchema({ sandbox: false }),
  refund: createRefundSchema,
  credential: newCredentialSchema,
  endpoint: registerEndpointSchema,
  simulate: simulateSchema,
}

function textsOf(schema: JsonSchema, path = ''): [path: string, field: JsonSchema][] {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
  return fields.flatMap(([name, field]): [string, JsonSchema][] =>
    field.type === 'string' ? [[`${path}/${name}`, field]] : textsOf(field, `${path}/${name}`),
  )
}

function accepts(field: JsonSchema, text: string): boolean {
  return compileReader({ type: 'object', properties: { text: field as { type: 'string' } } })({ text })
}

const texts = Object.entries(schemas).flatMap(([name, schema]) => textsOf(schema).map(([path, field]) => ({ name, path, field })))

// Proves: faults/merchant-text-holds-no-card
test.each(texts)('$name: $path never holds a card number', ({ field }) => {
  const written = [
    CARD,
    '4111-1111-1111-1111',
    '4111_1111_1111_1111',
    '4111 1111 1111 1111',
    '४१११११११११११११११',
    '４１１１１１１１１１１１１１１１',
  ]
  const urls = [`https://shop.example/back?card=${CARD}`, 'https://shop.example/4111%201111%201111%201111?a=1']
  for (const text of [...written, ...written.map((number) => `Card ${number}.`), ...urls, `a.${CARD}@shop.example`])
    expect([text, accepts(field, text)]).toEqual([text, false])
})

const order = {
  order_id: 'ORD-1001',
  amount: '499.00',
  customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
}

// Proves: faults/merchant-text-holds-no-card
test.each([
  ['/order_id', { order_id: `ORD-${CARD}` }],
  ['/description', { description: 'Card 4111 1111 1111 1111' }],
  ['/udf3', { udf3: '{"pan":"4111-1111-1111-1111"}' }],
  ['/return_url', { return_url: `https://shop.example/?pan=${CARD}` }],
  ['/customer/id', { customer: { ...order.customer, id: CARD } }],
  ['/customer/name', { customer: { ...order.customer, name: `Asha ${CARD}` } }],
  ['/customer/email', { customer: { ...order.customer, email: `${CARD}@shop.example` } }],
])('the answer names %s, and does not repeat the number', (field, fields) => {
  const parse = () => createOrderRequest({ sandbox: false }).parse({ ...order, ...fields })
  expect(parse).toThrow(ValidationFailed)
  try {
    parse()
  } catch (error) {
    if (error instanceof ValidationFailed) expect(error.errors).toEqual([{ field, message: 'must not hold a card number' }])
  }
})

// Proves: faults/merchant-text-holds-no-card
test.each([
  ...['ORD-1795600000008', '20261126103000123', '1795600000000000006', 'INV_2026-11-26_000123456', '4111111111111112'],
  ...['98765432109876543210', '41111111111111111228', '2f1c6f9e-1b2d-4c3a-9e4f-112233445566'],
])('%s is an order like any other', (order_id) => {
  expect(createOrderRequest({ sandbox: false })({ ...order, order_id, udf1: order_id, description: order_id })).toBe(true)
})
