import { Router } from 'express'
import {
  enquiryResponseSchema,
  NETWORK_PATHS,
  networkReportSchema,
  reversalRequestSchema,
  reversalResponseSchema,
  SIGNATURE_HEADERS,
  startPaymentResponseSchema,
  startPaymentSchema,
} from '@gateway/contracts'
import { enquiryQuerySchema } from './network-routes.ts'

/** The network contract as a production connector has to implement it: OpenAPI 3.1 from the schemas that we validate with. */
export function networkOpenApi(serverUrl: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network connector',
      version: '1.0.0',
      description:
        'What stands between the gateway and a card, net banking or UPI network. The gateway calls these operations; ' +
        'the connector reports by signed callbacks. The sandbox simulator is the reference implementation.',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths: {
      [NETWORK_PATHS.payments]: { post: startOperation, get: enquiryOperation },
      [NETWORK_PATHS.reversals]: { post: reversalOperation },
    },
    webhooks: { callback: { post: callbackOperation } },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: {
        StartPayment: startPaymentSchema,
        StartPaymentResponse: startPaymentResponseSchema,
        EnquiryResponse: enquiryResponseSchema,
        NetworkReport: networkReportSchema,
        ReversalRequest: reversalRequestSchema,
        ReversalResponse: reversalResponseSchema,
        Problem: problemSchema,
      },
    },
  }
}

/** `GET /network/v1/openapi.json`; it holds no secret, so it needs no key. */
export function openApiRoute(serverUrl: string): Router {
  const description = networkOpenApi(serverUrl)
  return Router().get('/network/v1/openapi.json', (_request, response) => {
    response.json(description)
  })
}

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
  },
} as const

const json = (name: string): object => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } })
const answer = (description: string, name: string): object => ({ description, content: json(name) })
const problem = (description: string): object => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})
const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})
const refusals = {
  401: problem('The bearer token is not the API key'),
  422: problem('Fields are missing or not valid; every one is listed'),
  503: problem('Try again'),
}

const startOperation = {
  operationId: 'startPayment',
  summary: 'Start a payment',
  description: 'The same key with the same body is answered the same and starts nothing again.',
  parameters: [header('idempotency-key', 'The attempt_id of the body')],
  requestBody: { required: true, content: json('StartPayment') },
  responses: {
    201: answer('Started, or decided at once', 'StartPaymentResponse'),
    409: problem('idempotency_conflict: this key was used with another body'),
    ...refusals,
  },
}

const enquiryOperation = {
  operationId: 'enquire',
  summary: 'Every payment known for a transaction',
  description: 'Payments that the gateway did not start belong to it too, such as those of a UPI app. None is an empty list.',
  parameters: [{ name: 'tr', in: 'query', required: true, schema: enquiryQuerySchema.properties.tr }],
  responses: { 200: answer('What is known now', 'EnquiryResponse'), ...refusals },
}

const reversalOperation = {
  operationId: 'reversePayment',
  summary: 'Give a capture back',
  description: 'Asked twice, reversed once and answered the same. `pending`: ask again with the same key.',
  parameters: [header('idempotency-key', '`rev-` and the reference')],
  requestBody: { required: true, content: json('ReversalRequest') },
  responses: {
    200: answer('How the reversal stands', 'ReversalResponse'),
    404: problem('payment_not_found: the network knows no such reference for this tr'),
    409: problem('idempotency_conflict: this reversal was asked for with another body'),
    ...refusals,
  },
}

const callbackOperation = {
  operationId: 'reportPayment',
  summary: 'A payment, as it stands, told to the gateway',
  description:
    'Signed as Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. At least once and in any order; ' +
    'whatever is not acknowledged with 200 is sent again with the same webhook-id.',
  security: [],
  parameters: [
    header(SIGNATURE_HEADERS.id, 'Stable over every copy and retry'),
    header(SIGNATURE_HEADERS.timestamp, 'Seconds since 1970 of this try; within five minutes'),
    header(SIGNATURE_HEADERS.signature, '`v1,` and the signature in base64; several are separated by spaces'),
  ],
  requestBody: { required: true, content: json('NetworkReport') },
  responses: {
    200: { description: 'Recorded, or known already' },
    401: { description: 'The signature is not valid' },
    503: { description: 'Try again' },
  },
}
