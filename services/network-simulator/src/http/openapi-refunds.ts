import { answer, header, json, problem, refusals } from './openapi-parts.ts'
import { refundQuerySchema } from './refund-routes.ts'

export const capabilitiesOperation = {
  operationId: 'capabilities',
  summary: 'What the connector can do',
  description: 'The connector cannot do what is left out here. The gateway reads the capabilities every 30 seconds.',
  responses: { 200: answer('The capabilities', 'Capabilities'), 401: refusals[401], 503: refusals[503] },
}

export const refundOperations = {
  post: {
    operationId: 'refundPayment',
    summary: 'Refund a capture, in full or in part',
    description:
      'A repeat with the same key makes no second refund and returns the current state. The sum of pending and succeeded refunds ' +
      'is never more than the capture. After `failed` the gateway may refund the money under another id, so this id must never ' +
      'succeed later.',
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
    summary: 'Return the state of one refund',
    description: 'For an unknown refund the answer is an empty list.',
    parameters: [{ name: 'refund_id', in: 'query', required: true, schema: refundQuerySchema.properties.refund_id }],
    responses: { 200: answer('The refund, or nothing', 'RefundEnquiryResponse'), ...refusals },
  },
}

/** The parts that differ from the callback about a payment. Both are signed in the same way. */
export const refundCallback = {
  operationId: 'reportRefund',
  summary: 'Report the state of a refund to the gateway, at the address of callbacks and `/refunds`',
  requestBody: { required: true, content: json('RefundReport') },
}
