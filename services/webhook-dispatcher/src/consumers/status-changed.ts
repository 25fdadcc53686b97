import { transactionStatusChanged } from '@gateway/contracts'
import { CLAIM_FIRST_HEADER, type IncomingMessage, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit'
import { timesDelayed, type DelayMessage } from '../publishing/delay-message.ts'
import type { DeliverFirst } from '../use-cases/deliver-first.ts'
import { readMessage } from './read-message.ts'

export interface StatusChangedConsumerOptions {
  readonly deliverFirst: DeliverFirst
  readonly delayMessage: DelayMessage
  readonly queue: string
}

/** `transaction.status-changed` → the first attempt of its webhook. */
export function statusChangedConsumer({ deliverFirst, delayMessage, queue }: StatusChangedConsumerOptions) {
  return async (incoming: IncomingMessage): Promise<Outcome> => {
    const read = readMessage(transactionStatusChanged, incoming.body)
    if ('poison' in read) return read.poison
    return handleMessage<Outcome>({ ...incoming, correlationId: read.message.correlation_id }, queue, async () => {
      const maybePublished = incoming.redelivered || incoming.headers[CLAIM_FIRST_HEADER] === true
      const handled = await deliverFirst(read.message, { maybePublished, timesDelayed: timesDelayed(incoming.headers) })
      if (handled !== 'done') await delayMessage(incoming, handled.delayMs, maybePublished)
      return 'ack'
    })
  }
}
