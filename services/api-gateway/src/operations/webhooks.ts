import {
  deliveriesPageSchema,
  endpointResponseSchema,
  LAST_EVENT_ID_SCHEMA,
  listDeliveriesSchema,
  listenSchema,
  recoverDeliveriesSchema,
  recoveredResponseSchema,
  registerEndpointSchema,
  registeredEndpointResponseSchema,
  resendDeliverySchema,
  resentResponseSchema,
  rotatedSecretResponseSchema,
  testEventResponseSchema,
} from '@gateway/contracts'
import { list, read, write } from './forwarding.ts'
import type { Operations } from './operation.ts'

const here = { to: 'webhookDispatcher', tag: 'webhooks' } as const
const post = { ...write, ...here, method: 'POST' } as const

/** The merchant's endpoint has ten seconds to answer the test event; one call recovers a part of the dead deliveries, at a limited pace. */
const EXTRA_TIMEOUT_MS = 15_000

/** What the endpoint of payments and that of refunds have in common. */
const register = {
  ...write,
  ...here,
  repeatable: true,
  method: 'PUT',
  request: registerEndpointSchema,
  answers: { 200: registeredEndpointResponseSchema },
} as const
const readEndpoint = { ...read, ...here, method: 'GET', answers: { 200: endpointResponseSchema }, refusals: [404] } as const
const enable = { ...post, repeatable: true, answers: { 200: endpointResponseSchema }, refusals: [404] } as const
const rotate = { ...post, repeatable: false, answers: { 200: rotatedSecretResponseSchema }, refusals: [404, 409] } as const

/** The operations on a merchant's webhook endpoints and deliveries (design, section 5). */
export const webhookOperations = {
  registerEndpoint: {
    ...register,
    path: '/api/v1/webhooks/endpoint',
    summary: 'Set the URL that receives the webhooks of orders created from now on',
    description:
      'The URL must be HTTPS, with a public address and port 443, unless this gateway allows more ports. After 20 refused URLs, or 20 changes of the URL, the answer is 429 until Retry-After has passed. Webhooks of older orders still go to the URL that was registered when the order was created. Only the first registration returns signing_secret.',
    example: { url: 'https://merchant.example/webhooks' },
  },
  readEndpoint: {
    ...readEndpoint,
    path: '/api/v1/webhooks/endpoint',
    summary: 'Get the current URL',
    description: 'Returns the URL, since when it is in force, and whether it is disabled, without the signing secret.',
  },
  enableEndpoint: {
    ...enable,
    path: '/api/v1/webhooks/endpoint/enable',
    summary: 'Enable the current URL again after it was disabled',
    description:
      'An endpoint is disabled when it answers 410 or acknowledges no webhook for days. Dead deliveries are not sent again: see recoverDeliveries.',
  },
  rotateSecret: {
    ...rotate,
    path: '/api/v1/webhooks/endpoint/rotate-secret',
    summary: 'Make a new signing secret; webhooks are signed with the old one, too, for 24 hours',
    description:
      'Each call makes another secret. For 24 hours every webhook carries a signature of both secrets, so that no webhook is refused during the change.',
  },
  registerRefundEndpoint: {
    ...register,
    path: '/api/v1/webhooks/refund-endpoint',
    summary: 'Set the URL that receives the webhooks of refunds created from now on',
    description:
      'Webhooks of refunds are sent only to merchants that register this URL. It has its own signing secret and its own health state. Only the first registration returns signing_secret.',
    example: { url: 'https://merchant.example/refund-webhooks' },
  },
  readRefundEndpoint: {
    ...readEndpoint,
    path: '/api/v1/webhooks/refund-endpoint',
    summary: 'Get the current URL for refunds',
    description:
      'Returns the URL for refunds, since when it is in force, and whether it is disabled, without the signing secret.',
  },
  enableRefundEndpoint: {
    ...enable,
    path: '/api/v1/webhooks/refund-endpoint/enable',
    summary: 'Enable the current URL for refunds again after it was disabled',
    description: 'Like enableEndpoint, for the endpoint of refunds.',
  },
  rotateRefundSecret: {
    ...rotate,
    path: '/api/v1/webhooks/refund-endpoint/rotate-secret',
    summary: 'Make a new signing secret for refunds; webhooks are signed with the old one, too, for 24 hours',
    description: 'Like rotateSecret, for the endpoint of refunds. The secret for payments stays.',
  },
  sendTestEvent: {
    ...post,
    repeatable: false,
    extraTimeoutMs: EXTRA_TIMEOUT_MS,
    path: '/api/v1/webhooks/test',
    summary: 'Send a test event, with the header webhook-test: true',
    description:
      'Sends one webhook with the usual fields and a valid signature, and returns how the endpoint answered. It is not retried.',
    answers: { 200: testEventResponseSchema },
    refusals: [404, 409],
  },
  listDeliveries: {
    ...list,
    ...here,
    method: 'GET',
    path: '/api/v1/webhooks/deliveries',
    summary: 'List deliveries with their attempts, newest first',
    description:
      'Pages of at most 100 deliveries and 256 KiB, so a page may be shorter than its limit. Send next_cursor as cursor to get the next page; null is the last one.',
    query: listDeliveriesSchema,
    answers: { 200: deliveriesPageSchema },
  },
  recoverDeliveries: {
    ...post,
    repeatable: true,
    share: 'recoveries',
    extraTimeoutMs: EXTRA_TIMEOUT_MS,
    path: '/api/v1/webhooks/deliveries/recover',
    summary: 'Send all dead deliveries created since a given time again, one part per call',
    description:
      'Each call sends one part of the dead deliveries again. Repeat the call with next_cursor until next_cursor is null. Call it again only after its answer: a second call at the same time is 429.',
    request: recoverDeliveriesSchema,
    example: { since: '2026-11-21T00:00:00Z', to: 'current' },
    answers: { 202: recoveredResponseSchema },
    refusals: [409],
  },
  resendDelivery: {
    ...post,
    repeatable: false,
    path: '/api/v1/webhooks/deliveries/{id}/resend',
    summary: 'Send a delivery again',
    description:
      'Sends the same bytes with the same webhook-id, in any status of the delivery: to its original URL or to the URL that is registered now.',
    request: resendDeliverySchema,
    example: { to: 'current' },
    answers: { 202: resentResponseSchema },
    refusals: [404, 409],
  },
  listenToWebhooks: {
    ...read,
    to: 'listeners',
    tag: 'webhooks',
    stream: true,
    only: 'sandbox',
    method: 'GET',
    path: '/api/v1/webhooks/listen',
    summary: 'Listen to copies of the webhooks, as server-sent events',
    description:
      'Sandbox only: copies of the webhooks as server-sent events, for a server on your own machine. The first event is ready, with the secret that signs the copies; each webhook event has the headers and the body to forward; end says why the session ends. A copy is no delivery: it is neither acknowledged nor retried. Connect again with Last-Event-ID to get every copy of the last hour once.',
    query: listenSchema,
    optionalHeaders: { 'last-event-id': LAST_EVENT_ID_SCHEMA },
    answers: { 200: null },
  },
} satisfies Operations
