import {
  authTokenSchema,
  createOrderSchema,
  MERCHANT_TOKEN_MAX_SECONDS,
  networkReportSchema,
  searchOrderSchema,
  SIGNATURE_HEADERS,
  simulateSchema,
  type AuthTokenResponse,
} from '@gateway/contracts'
import { createOrderResponseSchema, searchOrderResponseSchema } from './order-schemas.ts'
import { json, operation, parameter, problemSchema } from './operation.ts'
import { simulateResponseSchema } from './sandbox-schemas.ts'
import { integer, text, whole } from './whole.ts'
import { webhookPaths } from './webhook-paths.ts'
import * as webhooks from './webhook-schemas.ts'

/** The public API as OpenAPI 3.1, from the same JSON Schemas that requests are validated with (design, section 5). */
export function openApiDocument({ sandbox }: { sandbox: boolean }): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment gateway',
      version: '1.0.0',
      description: 'Cards, net banking and UPI in India. v1 only grows; unknown request properties are refused.',
    },
    servers: [{ url: '/' }],
    security: [{ merchantToken: [] }],
    tags: ['authentication', 'orders', 'webhooks', 'network', ...(sandbox ? ['sandbox'] : [])].map((name) => ({ name })),
    paths: { ...authPaths, ...orderPaths(sandbox), ...webhookPaths, ...networkPaths, ...(sandbox ? sandboxPaths : {}) },
    webhooks: { transactionStatus: { post: statusWebhook } },
    components: {
      schemas: { Problem: problemSchema },
      securitySchemes: {
        merchantToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWE',
          description:
            'Compact JWE, alg dir, enc A256GCM, kid = key_id, encrypted with the 32 bytes of key_secret (base64url); claims ' +
            `iss = key_id, aud = sandbox or production, iat, exp (at most ${MERCHANT_TOKEN_MAX_SECONDS} s after iat), jti.`,
        },
      },
    },
  }
}

const authTokenResponse = whole<AuthTokenResponse>({ token: text, token_type: { const: 'Bearer' }, expires_in: integer })

const authPaths = {
  '/api/v1/auth/token': {
    post: operation({
      id: 'createToken',
      summary: 'A token, for those who do not make their own',
      tag: 'authentication',
      request: authTokenSchema,
      answers: { 200: authTokenResponse },
      refusals: [401],
      open: true,
    }),
  },
}

const orderPaths = (sandbox: boolean) => ({
  '/api/v1/orders/create': {
    post: operation({
      id: 'createOrder',
      summary: 'Create an order; the same fields sent again get the original answer',
      tag: 'orders',
      request: createOrderSchema({ sandbox }),
      answers: { 200: createOrderResponseSchema, 201: createOrderResponseSchema },
      refusals: [409],
    }),
  },
  '/api/v1/order/search': {
    post: operation({
      id: 'searchOrder',
      summary: 'How an order stands',
      tag: 'orders',
      request: searchOrderSchema,
      answers: { 200: searchOrderResponseSchema },
      refusals: [404],
    }),
  },
})

const signatureHeaders = Object.values(SIGNATURE_HEADERS).map((name) => parameter('header', name, text))

const networkPaths = {
  '/network/v1/callbacks': {
    post: operation({
      id: 'reportPayment',
      summary: 'A signed report of the network (Standard Webhooks headers)',
      tag: 'network',
      parameters: signatureHeaders,
      request: networkReportSchema,
      answers: { 200: null },
      refusals: [401],
      open: true,
    }),
  },
}

const sandboxPaths = {
  '/api/v1/sandbox/simulate': {
    post: operation({
      id: 'simulate',
      summary: 'What a simulated bank or UPI app shall do with an order of this merchant',
      tag: 'sandbox',
      request: simulateSchema,
      answers: { 202: simulateResponseSchema },
      refusals: [404, 409],
    }),
  },
}

const statusWebhook = {
  summary: 'The status of a transaction has changed; deduplicate by webhook-id, confirm by search',
  parameters: [...signatureHeaders, ...['webhook-attempt', 'webhook-sequence'].map((name) => parameter('header', name, text))],
  requestBody: { required: true, content: json(webhooks.webhookPayloadSchema) },
  responses: { 200: { description: 'Acknowledged; anything else is tried again' } },
}
