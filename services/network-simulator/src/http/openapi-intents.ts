import { answer, header, json, problem, refusals } from './openapi-parts.ts'

export const intentOperation = {
  operationId: 'mintIntent',
  summary: 'Mint the UPI link of an order',
  description:
    'Only of a connector with the capability `intents`. The link begins with `upi://pay?`, has the amount as `am` and `cu=INR`, and may ' +
    "have the acquirer's own `tr`: the connector reports its payments under the `tr` of this request. A repeat with the same key gets " +
    'the same link.',
  parameters: [header('idempotency-key', 'The tr of the body')],
  requestBody: { required: true, content: json('IntentRequest') },
  responses: {
    200: answer('The link', 'IntentResponse'),
    409: problem('idempotency_conflict: this tr was used with another body'),
    ...refusals,
  },
}
