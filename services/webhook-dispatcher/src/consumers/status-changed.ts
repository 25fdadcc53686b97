import { refundStatusChangedReader, transactionStatusChangedReader, type Checker } from '@gateway/contracts'
import { handleAs, MAYBE_PUBLISHED_HEADER, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import { timesDelayed, type DelayMessage } from '../publishing/delay-message.ts'
import type { WebhookEvent } from '../domain/webhook-event.ts'
import type { DeliverFirst } from '../use-cases/deliver-first.ts'

export interface StatusChangedConsumerOptions {
  readonly deliverFirst: DeliverFirst
  readonly delayMessage: DelayMessage
  readonly queue: string
}

/** `transaction.status-changed` → the first attempt of its webhook. */
export function statusChangedConsumer(options: StatusChangedConsumerOptions) {
  return firstAttempts(transactionStatusChangedReader, options)
}

/** `refund.status-changed` → the first attempt of its webhook. */
export function refundChangedConsumer(options: StatusChangedConsumerOptions) {
  return firstAttempts(refundStatusChangedReader, options)
}

function firstAttempts<E extends WebhookEvent>(
  reader: Checker<E>,
  { deliverFirst, delayMessage, queue }: StatusChangedConsumerOptions,
) {
  return handleAs(reader, (event, incoming, acknowledge) =>
    handleMessage<Outcome>({ ...incoming, correlationId: event.correlation_id }, queue, async () => {
      const isMaybePublished = incoming.redelivered || incoming.headers[MAYBE_PUBLISHED_HEADER] === true
      const handled = await deliverFirst(event, { isMaybePublished, timesDelayed: timesDelayed(incoming.headers), acknowledge })
      if (handled !== 'done') await delayMessage(incoming, handled, isMaybePublished)
      return 'ack'
    }),
  )
}
