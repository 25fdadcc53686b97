import { Fault } from '@gateway/contracts'
import type { Publisher, Route, Topology } from '@gateway/messaging'
import { messageTraceHeaders } from '@gateway/service-kit/tracing'
import { endpointIdOf } from '../domain/channel.ts'
import type { Delivery } from '../domain/delivery.ts'
import type { Delay } from '../admission/message-facts.ts'
import { RECORD_DUE_HEADER, TIMES_DELAYED_HEADER } from './delay-message.ts'
import { WEBHOOK_RETRY, type RetryMessage } from './retry-message.ts'

/** Publishes the message that triggers a delivery's next attempt. Each resolves when the broker has stored the message. */
export interface RetryPublisher {
  /** After `delayMs`, one of the retry schedule's delays. */
  publishAfter(delivery: Delivery, delayMs: number): Promise<void>
  publishNow(delivery: Delivery): Promise<void>
  /** Through the delay queue, for an attempt that is due but was denied. */
  publishDelayed(delivery: Delivery, delay: Required<Delay>): Promise<void>
}

/** Retry messages over the broker: through the queue of their delay, or directly to the retries' queue. */
export function brokerRetryPublisher(publisher: Publisher, topology: Topology, now: () => Date): RetryPublisher {
  const [toRetries] = topology.queues.retries.bindings
  if (!toRetries) throw new Fault('the retries queue has no binding')

  const publish = (route: Route, delivery: Delivery, headers: Record<string, unknown> = {}): Promise<void> => {
    const { id, attemptCount, url, correlationId } = delivery
    if (url === null) throw new Fault(`delivery ${id} has no URL to send to`)
    const attempt = attemptCount + 1
    const message: RetryMessage = {
      type: WEBHOOK_RETRY,
      version: 1,
      delivery_id: id,
      attempt,
      merchant_id: endpointIdOf(delivery),
      url,
    }
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
    publishAfter: (delivery, delayMs) => publish(topology.retryRoute(delayMs), delivery),
    publishNow: (delivery) => publish(toRetries, delivery),
    publishDelayed: (delivery, { delayMs, recordDueMs }) =>
      publish(topology.parkRoutes.retries(delayMs), delivery, { [TIMES_DELAYED_HEADER]: 1, [RECORD_DUE_HEADER]: recordDueMs }),
  }
}
