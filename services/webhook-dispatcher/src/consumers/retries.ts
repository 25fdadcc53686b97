import type { IncomingMessage, Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit'
import { timesDelayed, type DelayMessage } from '../publishing/delay-message.ts'
import { retryMessage } from '../publishing/retry-message.ts'
import type { DeliverRetry } from '../use-cases/deliver-retry.ts'
import { readMessage } from './read-message.ts'

export interface RetriesConsumerOptions {
  readonly deliverRetry: DeliverRetry
  readonly delayMessage: DelayMessage
  readonly queue: string
}

/** A retry message → one more attempt. */
export function retriesConsumer({ deliverRetry, delayMessage, queue }: RetriesConsumerOptions) {
  return async (incoming: IncomingMessage): Promise<Outcome> => {
    const read = readMessage(retryMessage, incoming.body)
    if ('poison' in read) return read.poison
    const { delivery_id: deliveryId, attempt, merchant_id: merchantId, url } = read.message
    return handleMessage<Outcome>(incoming, queue, async () => {
      const handled = await deliverRetry({ deliveryId, attempt, merchantId, url }, timesDelayed(incoming.headers))
      if (handled !== 'done') await delayMessage(incoming, handled.delayMs)
      return 'ack'
    })
  }
}
