import { Router } from 'express'
import {
  CAPABILITIES_PATH,
  capabilitiesSchema,
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
  reversalRequestSchema,
  reversalResponseSchema,
  SIGNATURE_HEADERS,
  startPaymentResponseSchema,
  startPaymentSchema,
} from '@gateway/contracts'
import { downtimesOperation } from './openapi-downtimes.ts'
import { intentOperation } from './openapi-intents.ts'
import { capabilitiesOperation, refundCallback, refundOperations } from './openapi-refunds.ts'
import { answer, header, json, problem, refusals } from './openapi-parts.ts'
import { enquiryQuerySchema } from './network-routes.ts'

/** The network contract for connectors: OpenAPI 3.1, built from the schemas that validate requests. */
function networkOpenApi(serverUrl: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network connector',
      version: '2.0.0',
      description:
        'Connects the gateway to a card, net banking or UPI network. The gateway calls these operations; ' +
        'the connector reports by signed callbacks. The sandbox simulator is the reference implementation. ' +
        'Capabilities, refunds, intents and downtimes are version 2; a connector that answers 404 to the first is one of version 1.',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths: {
      [NETWORK_PATHS.payments]: { post: startOperation, get: enquiryOperation },
      [NETWORK_PATHS.reversals]: { post: reversalOperation },
      [CAPABILITIES_PATH]: { get: capabilitiesOperation },
      [NETWORK_REFUNDS_PATH]: refundOperations,
      [NETWORK_INTENTS_PATH]: { post: intentOperation },
      [NETWORK_DOWNTIMES_PATH]: { get: downtimesOperation },
    },
    webhooks: {
      callback: { post: callbackOperation },
      refundCallback: { post: { ...callbackOperation, ...refundCallback } },
    },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: {
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
        Problem: problemSchema,
      },
    },
  }
}

/** `GET /network/v1/openapi.json`. It holds no secrets, so it needs no API key. */
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

const startOperation = {
  operationId: 'startPayment',
  summary: 'Start a payment',
  description: 'A repeat with the same key and body gets the same answer and starts no second payment.',
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
  description:
    'Includes payments that the gateway did not start, such as those of a UPI app. Without payments the list is empty. ' +
    'Captures come first, then pending payments. `more` says that payments were left out.',
  parameters: [{ name: 'tr', in: 'query', required: true, schema: enquiryQuerySchema.properties.tr }],
  responses: { 200: answer('All known payments', 'EnquiryResponse'), ...refusals },
}

const reversalOperation = {
  operationId: 'reversePayment',
  summary: 'Reverse a capture',
  description: 'A repeat reverses nothing again and gets the same answer. `pending`: ask again with the same key.',
  parameters: [header('idempotency-key', '`rev-`, the tr, `-` and the reference')],
  requestBody: { required: true, content: json('ReversalRequest') },
  responses: {
    200: answer('The state of the reversal', 'ReversalResponse'),
    404: problem('payment_not_found: the network knows no such reference for this tr'),
    409: problem('idempotency_conflict: this reversal was requested with another body'),
    ...refusals,
  },
}

const callbackOperation = {
  operationId: 'reportPayment',
  summary: 'Report the state of a payment to the gateway',
  description:
    'Signed as Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. Delivered at least once, in any order; ' +
    'a callback that is not acknowledged with 200 is sent again with the same webhook-id.',
  security: [],
  parameters: [
    header(SIGNATURE_HEADERS.id, 'The same for every copy and retry'),
    header(SIGNATURE_HEADERS.timestamp, 'Time of this try in seconds since 1970; accepted within five minutes'),
    header(SIGNATURE_HEADERS.signature, '`v1,` and the signature in base64; several signatures are separated by spaces'),
  ],
  requestBody: { required: true, content: json('NetworkReport') },
  responses: {
    200: { description: 'Recorded, or known already' },
    401: { description: 'The signature is not valid' },
    503: { description: 'Try again' },
  },
}
