import type { Publisher, Route, Topology } from '@gateway/messaging'
import { messageTraceHeaders } from '@gateway/service-kit/tracing'
import type { Delivery } from '../domain/delivery.ts'
import type { WakeUps } from '../use-cases/attempt.ts'
import { PARKED_HEADER } from './park.ts'
import { WEBHOOK_RETRY, type WakeUpMessage } from './wake-up-message.ts'

/** Wake-ups over the broker: through the queue of their delay, or straight to the retries' queue. */
export function brokerWakeUps(publisher: Publisher, topology: Topology, now: () => Date): WakeUps {
  const [toRetries] = topology.queues.retries.bindings
  if (!toRetries) throw new Error('the queue of retries has a binding')

  const publish = (route: Route, delivery: Delivery, headers: Record<string, unknown> = {}): Promise<void> => {
    const { id, attemptCount, merchantId, url, correlationId } = delivery
    if (url === null) throw new Error(`delivery ${id} has no URL to be sent to`)
    const attempt = attemptCount + 1
    const message: WakeUpMessage = { type: WEBHOOK_RETRY, version: 1, delivery_id: id, attempt, merchant_id: merchantId, url }
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
    after: (delivery, delayMs) => publish(topology.retryRoute(delayMs), delivery),
    now: (delivery) => publish(toRetries, delivery),
    aside: (delivery, delayMs) => publish(topology.parkRoutes.retries(delayMs), delivery, { [PARKED_HEADER]: 1 }),
  }
}
