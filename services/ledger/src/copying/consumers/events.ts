import { paymentEventReader } from '@gateway/contracts'
import { handleAs, type IncomingMessage, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import type { StoreCopy } from '../use-cases/store-copies.ts'

export interface EventsConsumerOptions {
  readonly storeCopy: StoreCopy
  readonly queue: string
  /** Called with the time of an event after its copy is stored. */
  readonly stored: (occurredAt: Date) => void
}

/** Stores the copy of the payment that each event carries: changes of payments, of refunds and of reversals. */
export function eventsConsumer({
  storeCopy,
  queue,
  stored,
}: EventsConsumerOptions): (message: IncomingMessage) => Promise<Outcome> {
  return handleAs(paymentEventReader, (event, message) =>
    handleMessage<Outcome>({ ...message, correlationId: event.correlation_id }, queue, async () => {
      await storeCopy(event.data.payment)
      stored(new Date(event.occurred_at))
      return 'ack'
    }),
  )
}
