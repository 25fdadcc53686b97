import { orderCreatedReader } from '@gateway/contracts'
import { handleAs, type IncomingMessage, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import type { Adopt } from '../use-cases/adopt.ts'

/** `order.created` opens a transaction; the same event again changes nothing. */
export function handleOrderCreated(adopt: Adopt, queue: string): (message: IncomingMessage) => Promise<Outcome> {
  return handleAs(orderCreatedReader, (event, message) =>
    handleMessage<Outcome>(message, queue, async () =>
      // A retry would not help: an operator has to look at it.
      (await adopt.order(event)) ? 'ack' : { dead: 'another transaction has its order id' },
    ),
  )
}
