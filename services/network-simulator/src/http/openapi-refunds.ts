import { answer, header, json, problem, refusals } from './openapi-parts.ts'
import { refundQuerySchema } from './refund-routes.ts'

export const capabilitiesOperation = {
  operationId: 'capabilities',
  summary: 'What the connector can do',
  description: 'What is left out, the connector cannot do. The gateway reads it every 30 seconds.',
  responses: { 200: answer('The capabilities', 'Capabilities'), 401: refusals[401], 503: refusals[503] },
}

export const refundOperations = {
  post: {
    operationId: 'refundPayment',
    summary: 'Refund a capture, wholly or in part',
    description:
      'A repeat with the same key refunds nothing again and gets the present state. Refunds that are pending or succeeded are ' +
      'never more than the capture. Only a clear `failed` gives the money back to the gateway, so such an id must never succeed later.',
    parameters: [header('idempotency-key', 'The refund_id of the body')],
    requestBody: { required: true, content: json('RefundRequest') },
    responses: {
      200: answer('The state of the refund', 'RefundReport'),
      404: problem('payment_not_found: the network knows no such reference for this tr'),
      409: problem('idempotency_conflict: this key was used with another body'),
      ...refusals,
    },
  },
  get: {
    operationId: 'enquireRefund',
    summary: 'What the network knows of one refund',
    description: 'An unknown refund is an empty list.',
    parameters: [{ name: 'refund_id', in: 'query', required: true, schema: refundQuerySchema.properties.refund_id }],
    responses: { 200: answer('The refund, or nothing', 'RefundEnquiryResponse'), ...refusals },
  },
}

/** Differs from the callback about a payment; both are signed alike. */
export const refundCallback = {
  operationId: 'reportRefund',
  summary: 'Report the state of a refund to the gateway, at the address of callbacks and `/refunds`',
  requestBody: { required: true, content: json('RefundReport') },
}
