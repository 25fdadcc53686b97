import {
  createOrderSchema,
  networkReportSchema,
  searchOrderSchema,
  simulateSchema,
  TRANSACTION_STATUSES,
} from '@gateway/contracts'
import { ORDER_AMOUNT_PATTERN } from '../operations/orders.ts'
import { openApiDocument } from './document.ts'
import { withPublicFormats } from './public-formats.ts'

interface Operation {
  readonly summary: string
  readonly security?: readonly object[]
  readonly requestBody: { readonly content: Record<string, { readonly schema: Record<string, unknown> }> }
  readonly responses: Record<string, { readonly content?: Record<string, unknown> }>
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly webhooks: { readonly transactionStatus: { readonly post: Operation & { parameters: { name: string }[] } } }
}

const documentOf = (sandbox: boolean) => JSON.parse(JSON.stringify(openApiDocument({ sandbox }))) as Document
const document = documentOf(false)
const post = (path: string, from = document) => from.paths[path]?.['post']
const requestOf = (operation: Operation | undefined) => operation?.requestBody.content['application/json']?.schema
/** In words of JSON Schema alone: formats of our own are patterns. */
const same = (schema: unknown): unknown => JSON.parse(JSON.stringify(withPublicFormats(schema)))

// Proves: api/openapi-from-request-schemas
test('the document uses the schemas that requests are validated with', () => {
  // The document also has the amount's bounds, which order-api checks.
  const order = (sandbox: boolean) => {
    const { properties, ...others } = createOrderSchema({ sandbox })
    return { ...others, properties: { ...properties, amount: { ...properties.amount, pattern: ORDER_AMOUNT_PATTERN } } }
  }
  expect(requestOf(post('/api/v1/orders/create'))).toEqual(same(order(false)))
  expect(requestOf(post('/api/v1/orders/create', documentOf(true)))).toEqual(same(order(true)))
  expect(requestOf(post('/api/v1/order/search'))).toEqual(same(searchOrderSchema))
  expect(requestOf(post('/api/v1/sandbox/simulate', documentOf(true)))).toEqual(same(simulateSchema))
  expect(requestOf(post('/network/v1/callbacks'))).toEqual(same(networkReportSchema))
})

// Proves: spec/9-operation-paths-carry-v1
test('every path of the API carries its version', () => {
  for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/(?:api|network)\/v1\//u)
})

test('every operation of a merchant lists its errors, as problem documents', () => {
  for (const path of ['/api/v1/orders/create', '/api/v1/order/search']) {
    const responses = post(path)?.responses ?? {}
    for (const status of ['400', '401', '413', '415', '422', '429', '503'])
      expect(Object.keys(responses[status]?.content ?? {})).toEqual(['application/problem+json'])
    expect(post(path)?.security).toBeUndefined()
  }
  expect(post('/api/v1/orders/create')?.responses).toHaveProperty('409')
  expect(post('/api/v1/order/search')?.responses).toHaveProperty('404')
})

// Proves: spec/6-2-status-one-four, webhooks/merchant-rules-are-documented
test('the webhook is described with its fields and headers, and says how merchants deduplicate and confirm', () => {
  const webhook = document.webhooks.transactionStatus.post
  const schema = requestOf(webhook) as { properties: Record<string, { enum?: unknown }>; required: string[] }
  const names = ['txnid', 'merchantTxnId', 'amount', 'rrn', 'status', 'metadata', 'datetime', 'payee']
  expect(Object.keys(schema.properties)).toEqual(names)
  expect(schema.required).toEqual(Object.keys(schema.properties).filter((name) => name !== 'payee'))
  expect(schema.properties['status']?.enum).toEqual(TRANSACTION_STATUSES)
  expect(webhook.parameters.map(({ name }) => name)).toEqual([
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'webhook-attempt',
    'webhook-sequence',
  ])
  expect(webhook.summary).toMatch(/webhook-id/u)
  expect(webhook.summary).toMatch(/search/u)
})
