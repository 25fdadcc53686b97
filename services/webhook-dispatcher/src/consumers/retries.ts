import { handleAs, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import { recordDueMs, timesDelayed, type DelayMessage } from '../publishing/delay-message.ts'
import { retryMessage } from '../publishing/retry-message.ts'
import type { DeliverRetry } from '../use-cases/deliver-retry.ts'

export interface RetriesConsumerOptions {
  readonly deliverRetry: DeliverRetry
  readonly delayMessage: DelayMessage
  readonly queue: string
}

/** A retry message → one more attempt. */
export function retriesConsumer({ deliverRetry, delayMessage, queue }: RetriesConsumerOptions) {
  return handleAs(retryMessage, ({ delivery_id: deliveryId, attempt, merchant_id: endpointId, url }, incoming, acknowledge) =>
    handleMessage<Outcome>(incoming, queue, async () => {
      const { headers } = incoming
      const message = { timesDelayed: timesDelayed(headers), recordDueMs: recordDueMs(headers), acknowledge }
      const handled = await deliverRetry({ deliveryId, attempt, endpointId, url }, message)
      if (handled !== 'done') await delayMessage(incoming, handled)
      return 'ack'
    }),
  )
}
