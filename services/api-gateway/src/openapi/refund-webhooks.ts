import { REFUND_STATUSES, registerEndpointSchema } from '@gateway/contracts'
import { json, operation, webhookHeaders } from './operation.ts'
import { refundSchema } from './refund-paths.ts'
import { objectOf, time } from './schema-helpers.ts'
import { endpointSchema, registeredEndpointSchema, rotatedSecretSchema } from './webhook-schemas.ts'

const tag = 'webhooks'
const path = '/api/v1/webhooks/refund-endpoint'

/** The operations on a merchant's endpoint for webhooks of refunds (design, section 10). */
export const refundEndpointPaths = {
  [path]: {
    put: operation({
      id: 'registerRefundEndpoint',
      summary: 'Set the URL that receives the webhooks of refunds created from now on',
      tag,
      request: registerEndpointSchema,
      responses: { 200: registeredEndpointSchema },
    }),
    get: operation({
      id: 'readRefundEndpoint',
      summary: 'Get the current URL for refunds',
      tag,
      responses: { 200: endpointSchema },
      refusals: [404],
    }),
  },
  [`${path}/enable`]: {
    post: operation({
      id: 'enableRefundEndpoint',
      summary: 'Enable the current URL for refunds again after it was disabled',
      tag,
      responses: { 200: endpointSchema },
      refusals: [404],
    }),
  },
  [`${path}/rotate-secret`]: {
    post: operation({
      id: 'rotateRefundSecret',
      summary: 'Make a new signing secret for refunds; webhooks are signed with the old one, too, for 24 hours',
      tag,
      responses: { 200: rotatedSecretSchema },
      refusals: [404, 409],
    }),
  },
}

interface RefundPayload {
  readonly type: string
  readonly timestamp: string
  readonly data: unknown
}

export const refundWebhook = {
  operationId: 'refundStatusChanged',
  summary: 'The status of a refund changed; deduplicate by webhook-id. Sent only to a refund endpoint',
  parameters: webhookHeaders,
  requestBody: {
    required: true,
    content: json(
      objectOf<RefundPayload>({
        type: { enum: REFUND_STATUSES.map((status) => `refund.${status}`) },
        timestamp: { ...time, description: 'the time of the change' },
        data: refundSchema,
      }),
    ),
  },
  responses: { 200: { description: 'Acknowledged; after any other answer the webhook is sent again' } },
}
