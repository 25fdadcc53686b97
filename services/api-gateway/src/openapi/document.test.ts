import { Validator } from '@seriousme/openapi-schema-validator'
import { compile, type JsonSchema } from '@gateway/contracts'
import { apiRoutes } from '../operations/operations.ts'
import { openApiDocument } from './document.ts'

const documents = [{ sandbox: true }, { sandbox: false }]

// Proves: api/openapi-at-openapi-json
test.each(documents)('the document for %j is valid OpenAPI 3.1', async (options) => {
  const result = await new Validator().validate(openApiDocument(options))
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
})

// Proves: spec/9-operation-paths-carry-v1
test.each(documents)('the document for %j describes exactly the routes of the gateway', (options) => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument(options))) as { paths: Record<string, object> }
  const described = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  const routed = Object.entries(apiRoutes({ ...options, simulator: options.sandbox })).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toLowerCase()} ${path.replace(/:(\w+)/gu, '{$1}')}`),
  )
  expect(described.toSorted()).toEqual(routed.toSorted())
})

interface Described {
  readonly operationId: string
  readonly description: string
  readonly 'x-repeatable': boolean
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema; readonly example?: unknown } }
  }
}
const operations = Object.values(
  (JSON.parse(JSON.stringify(openApiDocument({ sandbox: true }))) as { paths: Record<string, Record<string, Described>> }).paths,
).flatMap((methods) => Object.values(methods).map((described): [string, Described] => [described.operationId, described]))

test.each(operations)('%s has a description, and an example that its schema accepts', (_id, { description, requestBody }) => {
  expect(description.length).toBeGreaterThan(40)
  if (!requestBody) return
  const { schema, example } = requestBody.content['application/json']
  compile({ ...schema, type: 'object' }).parse(example)
})

test('webhooks have names, as operations do', () => {
  const { webhooks } = openApiDocument({ sandbox: true }) as { webhooks: Record<string, { post: { operationId?: string } }> }
  expect(Object.values(webhooks).map(({ post }) => post.operationId)).toEqual(['transactionStatusChanged', 'refundStatusChanged'])
})

test('the document says which requests may be sent again', () => {
  const repeatable = operations.filter(([, described]) => described['x-repeatable']).map(([id]) => id)
  expect(repeatable.toSorted()).toEqual([
    'createOrder',
    'createRefund',
    'createToken',
    'enableEndpoint',
    'enableRefundEndpoint',
    'findRefund',
    'listAudit',
    'listCredentials',
    'listDeliveries',
    'listDowntimes',
    'listOrders',
    'listRefunds',
    'listSettlementLines',
    'listSettlements',
    'listenToWebhooks',
    'readDailyReport',
    'readEndpoint',
    'readRefundEndpoint',
    'readTimeline',
    'recoverDeliveries',
    'registerEndpoint',
    'registerRefundEndpoint',
    'reportPayment',
    'reportRefund',
    'revokeCredential',
    'searchOrder',
  ])
})
