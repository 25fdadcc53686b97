import type { JsonSchema } from '@gateway/contracts'
import type { ApiDocument } from '../openapi/document.ts'
import type { OperationId } from '../operations/operations.ts'
import { entriesOf, exampleOf, type Entry } from './entries.ts'
import { QUERIES } from './samples.ts'

/** Not for a merchant's collection: the network signs its callbacks, and a stream has no end. */
const LEFT_OUT: readonly OperationId[] = ['reportPayment', 'reportRefund', 'listenToWebhooks']

/** Variables of the collection, with their initial values. Requests fill in the empty ones; the user enters the credential. */
const VARIABLES = {
  base_url: 'http://localhost:8080',
  key_id: '',
  key_secret: '',
  webhook_url: 'https://merchant.example/webhooks',
  token: '',
  order_id: '',
  refund_id: '',
  delivery_id: '',
  credential_id: '',
  settlement_id: '',
} as const

/** Fields of examples that variables replace. */
const FROM_VARIABLES: Readonly<Partial<Record<OperationId, JsonSchema>>> = {
  createToken: { key_id: '{{key_id}}', key_secret: '{{key_secret}}' },
  registerEndpoint: { url: '{{webhook_url}}' },
}
const PATH_VARIABLES: Readonly<Partial<Record<OperationId, string>>> = {
  readTimeline: '{{order_id}}',
  findRefund: '{{refund_id}}',
  resendDelivery: '{{delivery_id}}',
  revokeCredential: '{{credential_id}}',
  listSettlementLines: '{{settlement_id}}',
}

/** What a request keeps from its answer for later requests. */
const KEEPS: Readonly<Partial<Record<OperationId, string>>> = {
  createToken: "pm.collectionVariables.set('token', answer.token)",
  createOrder: "pm.collectionVariables.set('order_id', answer.data.order.order_id)",
  createRefund: "pm.collectionVariables.set('refund_id', answer.data.refund.id)",
  listDeliveries:
    "if (answer.data.deliveries.length > 0) pm.collectionVariables.set('delivery_id', answer.data.deliveries[0].id)",
  listSettlements:
    "if (answer.data.settlements.length > 0) pm.collectionVariables.set('settlement_id', answer.data.settlements[0].id)",
  createCredential: "pm.collectionVariables.set('credential_id', answer.data.credential.key_id)",
}

/** A Postman 2.1 collection of the operations that merchants call, in folders by tag. Its tests run in newman. */
export function postmanCollection(document: ApiDocument): object {
  const entries = entriesOf(document).filter(({ operationId }) => !LEFT_OUT.includes(operationId))
  const folders = document.tags.map(({ name }) => ({ name, item: entries.filter(({ tags: [tag] }) => tag === name).map(itemOf) }))
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value })),
    item: folders.filter(({ item }) => item.length > 0),
  }
}

function itemOf(entry: Entry): object {
  const { operationId, summary, description, method, security } = entry
  const example = exampleOf(entry)
  const path = entry.path.replace(/\{\w+\}/gu, PATH_VARIABLES[operationId] ?? '')
  const query = QUERIES[operationId] ?? ''
  const body = example && {
    mode: 'raw',
    raw: JSON.stringify({ ...example, ...FROM_VARIABLES[operationId] }, null, 2),
    options: { raw: { language: 'json' } },
  }
  return {
    name: summary,
    request: {
      method,
      description,
      ...(security === undefined ? {} : { auth: { type: 'noauth' } }),
      header: example ? [{ key: 'content-type', value: 'application/json' }] : [],
      ...(body && { body }),
      url: {
        raw: `{{base_url}}${path}${query}`,
        host: ['{{base_url}}'],
        path: path.slice(1).split('/'),
        ...(query === '' ? {} : { query: [...new URLSearchParams(query)].map(([key, value]) => ({ key, value })) }),
      },
    },
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: testOf(entry) } }],
  }
}

/** The answer must have a status that the document lists and be JSON; an answer of success may set variables. */
function testOf({ operationId, responses }: Entry): string[] {
  const statuses = Object.keys(responses).join(', ')
  const keeps = KEEPS[operationId]
  return [
    `pm.test('the status is documented', () => pm.expect([${statuses}]).to.include(pm.response.code))`,
    `pm.test('the gateway does not fail', () => pm.expect(pm.response.code).to.be.below(500))`,
    ...(keeps === undefined ? [] : ['if (pm.response.code < 300) {', '  const answer = pm.response.json()', `  ${keeps}`, '}']),
  ]
}
