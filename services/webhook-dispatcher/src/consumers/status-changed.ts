import { transactionStatusChangedReader } from '@gateway/contracts'
import { handleAs, MAYBE_PUBLISHED_HEADER, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import { parkedOf, type Park } from '../publishing/park.ts'
import type { DeliverFirst } from '../use-cases/deliver-first.ts'

/** `transaction.status-changed` → the first attempt of its webhook. */
export function statusChangedConsumer({ deliverFirst, park, queue }: { deliverFirst: DeliverFirst; park: Park; queue: string }) {
  return handleAs(transactionStatusChangedReader, (event, incoming) =>
    handleMessage<Outcome>({ ...incoming, correlationId: event.correlation_id }, queue, async () => {
      const maybePublished = incoming.redelivered || incoming.headers[MAYBE_PUBLISHED_HEADER] === true
      const delivered = await deliverFirst(event, { maybePublished, parked: parkedOf(incoming.headers) })
      if (delivered !== 'done') await park(incoming, delivered.parkMs, maybePublished)
      return 'ack'
    }),
  )
}
