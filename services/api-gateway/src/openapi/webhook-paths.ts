import { listDeliveriesSchema, recoverDeliveriesSchema, registerEndpointSchema, resendDeliverySchema } from '@gateway/contracts'
import { operation, parameter } from './operation.ts'
import { text } from './whole.ts'
import * as webhooks from './webhook-schemas.ts'

const tag = 'webhooks'
/** What merchants do with their endpoint and their deliveries (design, section 5). */
export const webhookPaths = {
  '/api/v1/webhooks/endpoint': {
    put: operation({
      id: 'registerEndpoint',
      summary: 'Where the webhooks of orders created from now on go',
      tag,
      request: registerEndpointSchema,
      answers: { 200: webhooks.registeredEndpointSchema },
    }),
    get: operation({
      id: 'readEndpoint',
      summary: 'The URL in force',
      tag,
      answers: { 200: webhooks.endpointSchema },
      refusals: [404],
    }),
  },
  '/api/v1/webhooks/endpoint/enable': {
    post: operation({
      id: 'enableEndpoint',
      summary: 'Use the URL in force again after it was disabled',
      tag,
      answers: { 200: webhooks.endpointSchema },
      refusals: [404],
    }),
  },
  '/api/v1/webhooks/endpoint/rotate-secret': {
    post: operation({
      id: 'rotateSecret',
      summary: 'A new signing secret; the old one signs too for 24 hours',
      tag,
      answers: { 200: webhooks.rotatedSecretSchema },
      refusals: [404, 409],
    }),
  },
  '/api/v1/webhooks/test': {
    post: operation({
      id: 'sendTestEvent',
      summary: 'Send a test event, with the header webhook-test: true',
      tag,
      answers: { 200: webhooks.testEventSchema },
      refusals: [404, 409],
    }),
  },
  '/api/v1/webhooks/deliveries': {
    get: operation({
      id: 'listDeliveries',
      summary: 'Deliveries with their attempts, newest first',
      tag,
      parameters: Object.entries(listDeliveriesSchema.properties).map(([name, schema]) => parameter('query', name, schema)),
      answers: { 200: webhooks.deliveriesSchema },
      refusals: [422],
    }),
  },
  '/api/v1/webhooks/deliveries/recover': {
    post: operation({
      id: 'recoverDeliveries',
      summary: 'Send everything again that is dead and was made since an instant, part by part',
      tag,
      request: recoverDeliveriesSchema,
      answers: { 202: webhooks.recoveredSchema },
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
      answers: { 202: webhooks.resentSchema },
      refusals: [404, 409],
    }),
  },
}
