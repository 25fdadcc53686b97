import {
  listDeliveriesSchema,
  listenSchema,
  recoverDeliveriesSchema,
  registerEndpointSchema,
  resendDeliverySchema,
} from '@gateway/contracts'
import { operation, parameter } from './operation.ts'
import { text } from './schema-helpers.ts'
import * as webhooks from './webhook-schemas.ts'

const tag = 'webhooks'

/** The operations on a merchant's webhook endpoint and deliveries (design, section 5). */
export const webhookPaths = {
  '/api/v1/webhooks/endpoint': {
    put: operation({
      id: 'registerEndpoint',
      summary: 'Set the URL that receives the webhooks of orders created from now on',
      tag,
      request: registerEndpointSchema,
      responses: { 200: webhooks.registeredEndpointSchema },
    }),
    get: operation({
      id: 'readEndpoint',
      summary: 'Get the current URL',
      tag,
      responses: { 200: webhooks.endpointSchema },
      refusals: [404],
    }),
  },
  '/api/v1/webhooks/endpoint/enable': {
    post: operation({
      id: 'enableEndpoint',
      summary: 'Enable the current URL again after it was disabled',
      tag,
      responses: { 200: webhooks.endpointSchema },
      refusals: [404],
    }),
  },
  '/api/v1/webhooks/endpoint/rotate-secret': {
    post: operation({
      id: 'rotateSecret',
      summary: 'Make a new signing secret; webhooks are signed with the old one, too, for 24 hours',
      tag,
      responses: { 200: webhooks.rotatedSecretSchema },
      refusals: [404, 409],
    }),
  },
  '/api/v1/webhooks/test': {
    post: operation({
      id: 'sendTestEvent',
      summary: 'Send a test event, with the header webhook-test: true',
      tag,
      responses: { 200: webhooks.testEventSchema },
      refusals: [404, 409],
    }),
  },
  '/api/v1/webhooks/deliveries': {
    get: operation({
      id: 'listDeliveries',
      summary: 'List deliveries with their attempts, newest first',
      tag,
      parameters: Object.entries(listDeliveriesSchema.properties).map(([name, schema]) => parameter('query', name, schema)),
      responses: { 200: webhooks.deliveriesSchema },
      refusals: [422],
    }),
  },
  '/api/v1/webhooks/deliveries/recover': {
    post: operation({
      id: 'recoverDeliveries',
      summary: 'Send all dead deliveries created since a given time again, one part per call',
      tag,
      request: recoverDeliveriesSchema,
      responses: { 202: webhooks.recoveredSchema },
      refusals: [409],
    }),
  },
  '/api/v1/webhooks/deliveries/{id}/resend': {
    post: operation({
      id: 'resendDelivery',
      summary: 'Send a delivery again',
      tag,
      parameters: [parameter('path', 'id', text)],
      request: resendDeliverySchema,
      responses: { 202: webhooks.resentSchema },
      refusals: [404, 409],
    }),
  },
}

/** Copies of webhooks, in the sandbox. */
export const listenPaths = {
  '/api/v1/webhooks/listen': {
    get: operation({
      id: 'listenToWebhooks',
      summary: 'Listen to copies of the webhooks, as server-sent events',
      tag,
      parameters: [
        ...Object.entries(listenSchema.properties).map(([name, schema]) => parameter('query', name, schema)),
        { ...parameter('header', 'last-event-id', webhooks.lastEventIdSchema), required: false },
      ],
      responses: { 200: null },
      refusals: [422],
    }),
  },
}
