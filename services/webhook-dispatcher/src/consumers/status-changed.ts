import { transactionStatusChangedReader } from '@gateway/contracts'
import { handleAs, MAYBE_PUBLISHED_HEADER, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import { timesDelayed, type DelayMessage } from '../publishing/delay-message.ts'
import type { DeliverFirst } from '../use-cases/deliver-first.ts'

export interface StatusChangedConsumerOptions {
  readonly deliverFirst: DeliverFirst
  readonly delayMessage: DelayMessage
  readonly queue: string
}

/** `transaction.status-changed` → the first attempt of its webhook. */
export function statusChangedConsumer({ deliverFirst, delayMessage, queue }: StatusChangedConsumerOptions) {
  return handleAs(transactionStatusChangedReader, (event, incoming) =>
    handleMessage<Outcome>({ ...incoming, correlationId: event.correlation_id }, queue, async () => {
      const maybePublished = incoming.redelivered || incoming.headers[MAYBE_PUBLISHED_HEADER] === true
      const handled = await deliverFirst(event, { maybePublished, timesDelayed: timesDelayed(incoming.headers) })
      if (handled !== 'done') await delayMessage(incoming, handled.delayMs, maybePublished)
      return 'ack'
    }),
  )
}
