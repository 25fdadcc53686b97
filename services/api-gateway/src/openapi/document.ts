import {
  authTokenSchema,
  createOrderSchema,
  MERCHANT_TOKEN_MAX_SECONDS,
  networkReportSchema,
  searchOrderSchema,
  simulateSchema,
  type AuthTokenResponse,
  type JsonSchema,
} from '@gateway/contracts'
import { API_ROUTES, LISTEN_ROUTES, SANDBOX_ROUTES, type ApiRoutes } from '../http/api-routes.ts'
import { createOrderResponseSchema, searchOrderResponseSchema } from './order-schemas.ts'
import { json, operation, problemSchema, signatureHeaders, webhookHeaders } from './operation.ts'
import { refundCallbackPaths, refundPaths } from './refund-paths.ts'
import { refundEndpointPaths, refundWebhook } from './refund-webhooks.ts'
import { simulateResponseSchema } from './sandbox-schemas.ts'
import { withPublicFormats } from './public-formats.ts'
import { integer, objectOf, text } from './schema-helpers.ts'
import { accountPaths } from './account-paths.ts'
import { downtimePaths } from './downtime-paths.ts'
import { ledgerPaths } from './ledger-paths.ts'
import { settlementPaths } from './settlement-paths.ts'
import { listenPaths, webhookPaths } from './webhook-paths.ts'
import * as webhooks from './webhook-schemas.ts'

const TAGS = {
  authentication: 'Tokens for merchants that do not make their own.',
  orders: 'Create an order, and see what became of it.',
  refunds: 'Refund paid orders, in full or in part.',
  reports: 'The money of a day, and what the bank has settled.',
  webhooks: 'Where status changes are sent, and every delivery.',
  account: 'Credentials of the merchant, and who did what.',
  network: 'Reports of the payment network.',
  sandbox: 'Simulated payments; absent in production.',
}

/** The public API as OpenAPI 3.1, built from the JSON Schemas that requests are validated with (design, section 5). */
export function openApiDocument({ sandbox }: { sandbox: boolean }): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment gateway',
      version: '1.0.0',
      description:
        'Cards, net banking and UPI in India. New versions of v1 only add operations and fields. Unknown request properties are refused.',
      contact: { name: 'The operator of this gateway' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/' }],
    security: [{ merchantToken: [] }],
    tags: Object.entries(TAGS)
      .filter(([name]) => sandbox || name !== 'sandbox')
      .map(([name, description]) => ({ name, description })),
    paths: withRepeatable(
      withPublicFormats({
        ...authPaths,
        ...orderPaths(sandbox),
        ...ledgerPaths,
        ...settlementPaths,
        ...refundPaths,
        ...downtimePaths,
        ...webhookPaths,
        ...refundEndpointPaths,
        ...accountPaths,
        ...networkPaths,
        ...refundCallbackPaths,
        ...(sandbox ? { ...listenPaths, ...sandboxPaths } : {}),
      }),
    ),
    webhooks: { transactionStatus: { post: statusWebhook }, refundStatus: { post: refundWebhook } },
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

/** Adds `x-repeatable` from the route table: true when sending the request twice has the effect of once. */
function withRepeatable(paths: Readonly<Record<string, Readonly<Record<string, object>>>>): object {
  const routes: ApiRoutes = { ...API_ROUTES, ...LISTEN_ROUTES, ...SANDBOX_ROUTES }
  const byMethod = (path: string): Record<string, { readonly repeatable: boolean }> => ({
    ...routes[path.replace(/\{(\w+)\}/gu, ':$1')],
  })
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, described]) => [
          method,
          { ...described, 'x-repeatable': byMethod(path)[method.toUpperCase()]?.repeatable ?? false },
        ]),
      ),
    ]),
  )
}

const authTokenResponse = objectOf<AuthTokenResponse>({ token: text, token_type: { const: 'Bearer' }, expires_in: integer })

const authPaths = {
  '/api/v1/auth/token': {
    post: operation({
      id: 'createToken',
      summary: 'Get a token, for merchants that do not make their own',
      tag: 'authentication',
      request: authTokenSchema,
      responses: { 200: authTokenResponse },
      refusals: [401],
      open: true,
    }),
  },
}

/** The amounts of orders, from 1.00 to 10000000.00, as order-api checks them by default. */
export const ORDER_AMOUNT_PATTERN = '^(?:[1-9][0-9]{0,6}(?:[.][0-9]{1,2})?|10000000(?:[.]00?)?)$'

function withOrderAmount(schema: ReturnType<typeof createOrderSchema>): JsonSchema {
  const amount = { ...schema.properties.amount, pattern: ORDER_AMOUNT_PATTERN }
  return { ...schema, properties: { ...schema.properties, amount } }
}

const orderPaths = (sandbox: boolean) => ({
  '/api/v1/orders/create': {
    post: operation({
      id: 'createOrder',
      summary: 'Create an order; sending the same fields again returns the original answer',
      tag: 'orders',
      request: withOrderAmount(createOrderSchema({ sandbox })),
      responses: { 200: createOrderResponseSchema, 201: createOrderResponseSchema },
      refusals: [409],
    }),
  },
  '/api/v1/order/search': {
    post: operation({
      id: 'searchOrder',
      summary: 'Get an order with its transaction, attempts, reversals and refunds',
      tag: 'orders',
      request: searchOrderSchema,
      responses: { 200: searchOrderResponseSchema },
      refusals: [404],
    }),
  },
})

const networkPaths = {
  '/network/v1/callbacks': {
    post: operation({
      id: 'reportPayment',
      summary: 'Report the status of a payment; sent by the network, signed (Standard Webhooks headers)',
      tag: 'network',
      parameters: signatureHeaders,
      request: networkReportSchema,
      responses: { 200: null },
      refusals: [401],
      open: true,
    }),
  },
}

const sandboxPaths = {
  '/api/v1/sandbox/simulate': {
    post: operation({
      id: 'simulate',
      summary: 'Choose what a simulated bank or UPI app does with an order of this merchant',
      tag: 'sandbox',
      request: simulateSchema,
      responses: { 202: simulateResponseSchema },
      refusals: [404, 409],
    }),
  },
}

const statusWebhook = {
  operationId: 'transactionStatusChanged',
  summary: 'The status of a transaction changed; deduplicate by webhook-id, confirm with a search',
  parameters: webhookHeaders,
  requestBody: { required: true, content: json(webhooks.webhookPayloadSchema) },
  responses: { 200: { description: 'Acknowledged; after any other answer the webhook is sent again' } },
}
