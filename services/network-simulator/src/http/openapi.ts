import { Router } from 'express'
import {
  CAPABILITIES_PATH,
  capabilitiesSchema,
  downtimesSchema,
  enquiryResponseSchema,
  intentRequestSchema,
  intentResponseSchema,
  NETWORK_DOWNTIMES_PATH,
  NETWORK_INTENTS_PATH,
  NETWORK_PATHS,
  NETWORK_REFUNDS_PATH,
  networkRefundRequestSchema,
  networkReportSchema,
  refundEnquirySchema,
  refundReportSchema,
  requiredFields,
  reversalRequestSchema,
  reversalResponseSchema,
  SIGNATURE_HEADERS,
  startPaymentResponseSchema,
  startPaymentSchema,
} from '@gateway/contracts'
import { REFUND_ID_SCHEMA, TR_SCHEMA } from './network-routes.ts'

/** An operation that the gateway calls. Its texts, and the names of its schemas. */
interface Operation {
  readonly id: string
  readonly method: 'get' | 'post'
  readonly path: string
  readonly summary: string
  readonly description: string
  /** The value of the header `idempotency-key`. */
  readonly key?: string
  readonly query?: Readonly<Record<string, object>>
  readonly body?: keyof typeof SCHEMAS
  readonly answer: readonly [status: 200 | 201, description: string, schema: keyof typeof SCHEMAS]
  /** What a 404 or a 409 means. */
  readonly problems?: Readonly<Partial<Record<404 | 409, string>>>
}

const TEXT = { type: 'string' } as const

const SCHEMAS = {
  StartPayment: startPaymentSchema,
  StartPaymentResponse: startPaymentResponseSchema,
  EnquiryResponse: enquiryResponseSchema,
  NetworkReport: networkReportSchema,
  ReversalRequest: reversalRequestSchema,
  ReversalResponse: reversalResponseSchema,
  Capabilities: capabilitiesSchema,
  RefundRequest: networkRefundRequestSchema,
  RefundReport: refundReportSchema,
  RefundEnquiryResponse: refundEnquirySchema,
  IntentRequest: intentRequestSchema,
  IntentResponse: intentResponseSchema,
  Downtimes: downtimesSchema,
  Problem: requiredFields({ type: TEXT, title: TEXT, status: { type: 'integer' }, detail: TEXT, code: TEXT }),
} as const

const UNKNOWN_CAPTURE = 'payment_not_found: the network knows no such reference for this tr'
const OTHER_BODY = 'idempotency_conflict: this key was used with another body'

const OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'startPayment', method: 'post', path: NETWORK_PATHS.payments },
    summary: 'Start a payment',
    description: 'A repeat with the same key and body gets the same answer and starts no second payment.',
    key: 'The attempt_id of the body',
    body: 'StartPayment',
    answer: [201, 'Started, or decided at once', 'StartPaymentResponse'],
    problems: { 409: OTHER_BODY },
  },
  {
    ...{ id: 'enquire', method: 'get', path: NETWORK_PATHS.payments },
    summary: 'Every payment known for a transaction',
    description:
      'Includes payments that the gateway did not start, such as those of a UPI app. Without payments the list is empty. ' +
      'Captures come first, then pending payments. `more` says that payments were left out.',
    query: { tr: TR_SCHEMA },
    answer: [200, 'All known payments', 'EnquiryResponse'],
  },
  {
    ...{ id: 'reversePayment', method: 'post', path: NETWORK_PATHS.reversals },
    summary: 'Reverse a capture',
    description: 'A repeat reverses nothing again and gets the same answer. `pending`: ask again with the same key.',
    key: '`rev-`, the tr, `-` and the reference',
    body: 'ReversalRequest',
    answer: [200, 'The state of the reversal', 'ReversalResponse'],
    problems: { 404: UNKNOWN_CAPTURE, 409: OTHER_BODY },
  },
  {
    ...{ id: 'capabilities', method: 'get', path: CAPABILITIES_PATH },
    summary: 'What the connector can do',
    description: 'The connector cannot do what is left out here. The gateway reads the capabilities every 30 seconds.',
    answer: [200, 'The capabilities', 'Capabilities'],
  },
  {
    ...{ id: 'refundPayment', method: 'post', path: NETWORK_REFUNDS_PATH },
    summary: 'Refund a capture, in full or in part',
    description:
      'A repeat with the same key makes no second refund and returns the current state. The sum of pending and succeeded refunds ' +
      'is never more than the capture. After `failed` the gateway may refund the money under another id, so this id must never ' +
      'succeed later.',
    key: 'The refund_id of the body',
    body: 'RefundRequest',
    answer: [200, 'The state of the refund', 'RefundReport'],
    problems: { 404: UNKNOWN_CAPTURE, 409: OTHER_BODY },
  },
  {
    ...{ id: 'enquireRefund', method: 'get', path: NETWORK_REFUNDS_PATH },
    summary: 'Return the state of one refund',
    description: 'For an unknown refund the answer is an empty list.',
    query: { refund_id: REFUND_ID_SCHEMA },
    answer: [200, 'The refund, or nothing', 'RefundEnquiryResponse'],
  },
  {
    ...{ id: 'mintIntent', method: 'post', path: NETWORK_INTENTS_PATH },
    summary: 'Mint the UPI link of an order',
    description:
      'Only of a connector with the capability `intents`. The link begins with `upi://pay?`, has the amount as `am` and `cu=INR`, ' +
      "and may have the acquirer's own `tr`: the connector reports its payments under the `tr` of this request. A repeat with the " +
      'same key gets the same link.',
    key: 'The tr of the body',
    body: 'IntentRequest',
    answer: [200, 'The link', 'IntentResponse'],
    problems: { 409: OTHER_BODY },
  },
  {
    ...{ id: 'downtimes', method: 'get', path: NETWORK_DOWNTIMES_PATH },
    summary: 'What does not work now',
    description:
      'Only of a connector with the capability `downtimes`. A method without `instrument` is down as a whole. The gateway reads ' +
      'the list every 15 seconds: `high` hides a method or a bank on the payment page, `medium` warns.',
    answer: [200, 'All downtimes that are known', 'Downtimes'],
  },
]

/** `GET /network/v1/openapi.json`: OpenAPI 3.1, built from the schemas that validate. It holds no secrets, so it needs no API key. */
export function openApiRoute(serverUrl: string): Router {
  const document = networkOpenApi(serverUrl)
  return Router().get('/network/v1/openapi.json', (_request, response) => {
    response.json(document)
  })
}

function networkOpenApi(serverUrl: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network connector',
      version: '1.0.0',
      description:
        'Connects the gateway to a card, net banking or UPI network. The gateway calls these operations; ' +
        'the connector reports by signed callbacks. The sandbox simulator is the reference implementation. ' +
        'The connector names in its capabilities which of refunds, intents, downtimes and UPI by VPA it supports.',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths: pathsOf(OPERATIONS),
    webhooks: {
      callback: { post: callback('reportPayment', 'Report the state of a payment to the gateway', 'NetworkReport') },
      refundCallback: {
        post: callback(
          'reportRefund',
          'Report the state of a refund to the gateway, at the address of callbacks and `/refunds`',
          'RefundReport',
        ),
      },
    },
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } }, schemas: SCHEMAS },
  }
}

function pathsOf(operations: readonly Operation[]): object {
  const paths: Record<string, object> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method]: describe(operation) }
  }
  return paths
}

function describe({ id, summary, description, key, query = {}, body, answer, problems = {} }: Operation): object {
  const [status, meaning, schema] = answer
  const parameters = [
    ...(key === undefined ? [] : [header('idempotency-key', key)]),
    ...Object.entries(query).map(([name, of]) => ({ name, in: 'query', required: true, schema: of })),
  ]
  const refusals = {
    401: 'The bearer token is not the API key',
    ...(parameters.length > 0 ? { 422: 'Fields are missing or not valid; every one is listed' } : {}),
    503: 'Try again',
    ...problems,
  }
  return {
    ...{ operationId: id, summary, description, parameters },
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      [status]: { description: meaning, content: json(schema) },
      ...Object.fromEntries(
        Object.entries(refusals).map(([code, why]) => [code, { description: why, content: json('Problem', 'problem+json') }]),
      ),
    },
  }
}

function callback(operationId: string, summary: string, body: keyof typeof SCHEMAS): object {
  return {
    ...{ operationId, summary, security: [] },
    description:
      'Signed as Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. Delivered at least once, in any order; ' +
      'a callback that is not acknowledged with 200 is sent again with the same webhook-id.',
    parameters: [
      header(SIGNATURE_HEADERS.id, 'The same for every copy and retry'),
      header(SIGNATURE_HEADERS.timestamp, 'Time of this try in seconds since 1970; accepted within five minutes'),
      header(SIGNATURE_HEADERS.signature, '`v1,` and the signature in base64; several signatures are separated by spaces'),
    ],
    requestBody: { required: true, content: json(body) },
    responses: {
      200: { description: 'Recorded, or known already' },
      401: { description: 'The signature is not valid' },
      503: { description: 'Try again' },
    },
  }
}

function json(schema: keyof typeof SCHEMAS, type = 'json'): object {
  return { [`application/${type}`]: { schema: { $ref: `#/components/schemas/${schema}` } } }
}

function header(name: string, description: string): object {
  return { name, in: 'header', required: true, description, schema: TEXT }
}
