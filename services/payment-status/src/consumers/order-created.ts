import { orderCreated, ValidationFailed } from '@gateway/contracts'
import type { IncomingMessage, Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import type { Adopt } from '../use-cases/adopt.ts'

/** `order.created` opens a transaction; the same event again changes nothing. */
export function handleOrderCreated(adopt: Adopt, queue: string): (message: IncomingMessage) => Promise<Outcome> {
  return (message) =>
    handleMessage<Outcome>(message, queue, async () => {
      const event = readEvent(message.body)
      if (typeof event === 'string') return { dead: event }
      // Trying again would not help: a person has to look at it.
      return (await adopt.order(event)) ? 'ack' : { dead: 'another transaction has its order id' }
    })
}

function readEvent(body: Buffer) {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return orderCreated.parse(parsed)
  } catch (error) {
    if (error instanceof ValidationFailed)
      return `not an order.created of version 1: ${error.errors.map(({ field }) => field).join(', ')}`
    return 'not JSON'
  }
}
