import { compileReader, Fault, type FromSchema } from '@gateway/contracts'
import type { Publisher, Route, Topology } from '@gateway/messaging'
import { messageTraceHeaders } from '@gateway/service-kit/tracing'
import type { Delivery } from '../../deliveries/index.ts'
import { endpointIdOf } from '../../endpoints/index.ts'
import { RECORD_DUE_HEADER, TIMES_PARKED_HEADER, type Parked } from './park-message.ts'

const WEBHOOK_RETRY = 'webhook.retry'

/** Triggers one more attempt. It carries no payload: the delivery's record has it. */
const retryMessageSchema = {
  $id: 'message/webhook.retry/1',
  type: 'object',
  additionalProperties: false,
  required: ['type', 'version', 'delivery_id', 'attempt', 'endpoint_id', 'url'],
  properties: {
    type: { const: WEBHOOK_RETRY },
    version: { const: 1 },
    delivery_id: { type: 'string', minLength: 1 },
    /** The number of the attempt to make. */
    attempt: { type: 'integer', minimum: 1 },
    endpoint_id: { type: 'string', minLength: 1 },
    url: { type: 'string', minLength: 1 },
  },
} as const
type RetryMessage = FromSchema<typeof retryMessageSchema>

export const retryMessage = compileReader(retryMessageSchema)

export type RetryPublisher = ReturnType<typeof brokerRetryPublisher>

/** Publishes the message that triggers a delivery's next attempt. Each call resolves when the broker has stored the message. */
export function brokerRetryPublisher(publisher: Publisher, topology: Topology, now: () => Date) {
  const [toRetries] = topology.queues.retries.bindings
  if (!toRetries) throw new Fault('the retries queue has no binding')

  const publish = (route: Route, delivery: Delivery, headers: Record<string, unknown> = {}): Promise<void> => {
    const { id, url, correlation_id: correlationId } = delivery
    if (url === null) throw new Fault(`delivery ${id} has no URL to send to`)
    const attempt = delivery.attempt_count + 1
    const endpoint = { endpoint_id: endpointIdOf(delivery), url }
    const message: RetryMessage = { type: WEBHOOK_RETRY, version: 1, delivery_id: id, attempt, ...endpoint }
    return publisher.publish({
      ...route,
      messageId: `${id}#${attempt}`,
      type: WEBHOOK_RETRY,
      correlationId,
      body: JSON.stringify(message),
      headers: { ...headers, ...messageTraceHeaders() },
      timestampMs: now().getTime(),
    })
  }
  return {
    /** After `delayMs`, one of the retry schedule's delays. */
    publishAfter: (delivery: Delivery, delayMs: number) => publish(topology.retryRoute(delayMs), delivery),
    publishNow: (delivery: Delivery) => publish(toRetries, delivery),
    /** Through a park queue, for an attempt that is due but was denied. */
    publishParked: (delivery: Delivery, { parkMs, recordDueMs }: Required<Parked>) =>
      publish(topology.parkRoutes.retries(parkMs), delivery, { [TIMES_PARKED_HEADER]: 1, [RECORD_DUE_HEADER]: recordDueMs }),
  }
}
