import { Fault } from '@gateway/contracts'
import type { Publisher, Route, Topology } from '@gateway/messaging'
import { messageTraceHeaders } from '@gateway/service-kit/tracing'
import type { Delivery } from '../../deliveries/index.ts'
import { endpointIdOf } from '../../endpoints/index.ts'
import type { Parked } from '../domain/trigger.ts'
import { RECORD_DUE_HEADER, TIMES_PARKED_HEADER } from './park-message.ts'
import { WEBHOOK_RETRY, type RetryMessage } from './retry-message.ts'

export type RetryPublisher = ReturnType<typeof brokerRetryPublisher>

/** Publishes the message that triggers a delivery's next attempt. Each call resolves when the broker has stored the message. */
export function brokerRetryPublisher(publisher: Publisher, topology: Topology, now: () => Date) {
  const [toRetries] = topology.queues.retries.bindings
  if (!toRetries) throw new Fault('the retries queue has no binding')

  const publish = (route: Route, delivery: Delivery, headers: Record<string, unknown> = {}): Promise<void> => {
    const { id, attemptCount, url, correlationId } = delivery
    if (url === null) throw new Fault(`delivery ${id} has no URL to send to`)
    const attempt = attemptCount + 1
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
