import { MERCHANT_TOKEN_MAX_SECONDS, refundWebhookPayloadSchema, webhookPayloadSchema, type JsonSchema } from '@gateway/contracts'
import { OPERATIONS, type OperationId } from '../operations/operations.ts'
import { describeOperation, json, problemSchema, webhookHeaders, type DescribedOperation } from './describe-operation.ts'
import { withPublicFormats } from './public-formats.ts'

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
export function openApiDocument({ sandbox }: { readonly sandbox: boolean }) {
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
    paths: withPublicFormats(pathsOf(sandbox)),
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

export type ApiDocument = ReturnType<typeof openApiDocument>

/** Every operation by its path and method. */
function pathsOf(sandbox: boolean) {
  const paths: Record<string, Record<string, DescribedOperation>> = {}
  for (const id of Object.keys(OPERATIONS) as OperationId[]) {
    const { path, method, only } = OPERATIONS[id]
    if (only === undefined || sandbox)
      paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(id, OPERATIONS[id], { sandbox }) }
  }
  return paths
}

function webhook(operationId: string, summary: string, payload: JsonSchema) {
  return {
    operationId,
    summary,
    parameters: webhookHeaders,
    requestBody: { required: true, content: json(payload) },
    responses: { 200: { description: 'Acknowledged; after any other answer the webhook is sent again' } },
  }
}

const statusWebhook = webhook(
  'transactionStatusChanged',
  'The status of a transaction changed; deduplicate by webhook-id, confirm with a search',
  webhookPayloadSchema,
)

const refundWebhook = webhook(
  'refundStatusChanged',
  'The status of a refund changed; deduplicate by webhook-id. Sent only to a refund endpoint',
  refundWebhookPayloadSchema,
)
