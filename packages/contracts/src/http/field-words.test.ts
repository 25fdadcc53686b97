import { ValidationFailed } from '../errors.ts'
import type { Checker, JsonSchema } from '../schema.ts'
import { authTokenRequest, authTokenSchema } from '../merchant-token.ts'
import { networkReport, networkReportSchema } from '../network.ts'
import { createOrderRequest, createOrderSchema } from './create-order.ts'
import { auditQuery, auditQuerySchema, newCredentialRequest, newCredentialSchema } from './credentials.ts'
import { searchOrderSchema } from './search-order.ts'
import { simulateRequest, simulateSchema } from './simulate.ts'
import {
  listDeliveriesQuery,
  listDeliveriesSchema,
  recoverDeliveriesRequest,
  recoverDeliveriesSchema,
  registerEndpointRequest,
  registerEndpointSchema,
  resendDeliverySchema,
} from './webhooks.ts'

/** Every field of a request, with its path. */
function fieldsOf(schema: JsonSchema, path = ''): [path: string, field: JsonSchema][] {
  const { properties } = schema
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, field]) => [
    [`${path}/${name}`, field],
    ...fieldsOf(field, `${path}/${name}`),
  ])
}

const schemas: Record<string, JsonSchema> = {
  'create, sandbox': createOrderSchema({ sandbox: true }),
  'create, production': createOrderSchema({ sandbox: false }),
  search: searchOrderSchema,
  token: authTokenSchema,
  callback: networkReportSchema,
  simulate: simulateSchema,
  endpoint: registerEndpointSchema,
  resend: resendDeliverySchema,
  recover: recoverDeliveriesSchema,
  deliveries: listDeliveriesSchema,
  credential: newCredentialSchema,
  audit: auditQuerySchema,
}
const fields = Object.entries(schemas).flatMap(([name, schema]) =>
  fieldsOf(schema).map(([path, field]) => [`${name} ${path}`, field] as const),
)

// Proves: api/errors-in-words
test.each(fields)('%s says in words what is allowed', (_name, { description }) => {
  expect(description).toMatch(/^[^;\\^$*]{3,110}(?:;|$)/u)
})

function messagesOf(check: Checker<unknown>, body: unknown): Record<string, string> {
  try {
    check.parse(body)
    return {}
  } catch (error) {
    if (error instanceof ValidationFailed) return Object.fromEntries(error.errors.map(({ field, message }) => [field, message]))
    throw error
  }
}

const checkers: [string, Checker<unknown>, object][] = [
  [
    'create',
    createOrderRequest({ sandbox: false }),
    { order_id: 5, amount: '1,00', customer: { name: '', email: 'x', phone: '1' } },
  ],
  ['token', authTokenRequest, { key_id: '', key_secret: 7 }],
  ['callback', networkReport, { reference: '/', tr: 'a', amount: 1, outcome: 'x', method: 'x' }],
  ['simulate', simulateRequest, { order_id: 'a', outcome: 'x', delay_ms: -1, duplicates: 1.5, reorder: 'no' }],
  ['endpoint', registerEndpointRequest, { url: 'http://plain.example' }],
  ['recover', recoverDeliveriesRequest, { since: 'today', to: 'x', cursor: '' }],
  ['deliveries', listDeliveriesQuery, { limit: '1000', order_id: '', cursor: '!' }],
  ['credential', newCredentialRequest, { scopes: [], label: '', expires_at: 'soon' }],
  ['audit', auditQuery, { limit: '0', from: 'today', cursor: '!' }],
]

// Proves: api/errors-in-words
test.each(checkers)('%s: a message has no pattern and no keyword of a schema', (_name, check, body) => {
  const messages = Object.values(messagesOf(check, body))
  expect(messages.length).toBeGreaterThanOrEqual(Object.keys(body).length)
  for (const message of messages) expect(message).toMatch(/^must be (?!equal|string|<|>|integer)[^\\^$]+$/u)
})

// Proves: api/errors-in-words
test('a merchant reads what an order id, an amount and a return URL may be', () => {
  const bad = { order_id: 'a b', amount: '5.001', customer: { name: 'A', email: 'a@b.in', phone: '12' }, return_url: 'x' }
  expect(messagesOf(createOrderRequest({ sandbox: true }), bad)).toEqual({
    '/order_id': 'must be 3 to 45 letters, digits, - or _',
    '/amount': 'must be rupees as text with at most two decimals, such as "499.00"',
    '/customer/phone':
      'must be an Indian mobile number such as 98765 43210, or a foreign number with its country such as +1 415 555 2671',
    '/return_url': 'must be an HTTPS URL of at most 250 characters, or one that begins with http://localhost',
  })
})
