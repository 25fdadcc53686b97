import type { IncomingMessage, Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import { parkedOf, type Park } from '../publishing/park.ts'
import { wakeUpMessage } from '../publishing/wake-up-message.ts'
import type { DeliverRetry } from '../use-cases/deliver-retry.ts'
import { readMessage } from './read-message.ts'

/** A wake-up → one more attempt. */
export function retriesConsumer({ deliverRetry, park, queue }: { deliverRetry: DeliverRetry; park: Park; queue: string }) {
  return async (incoming: IncomingMessage): Promise<Outcome> => {
    const read = readMessage(wakeUpMessage, incoming.body)
    if ('poison' in read) return read.poison
    const { delivery_id: deliveryId, attempt, merchant_id: merchantId, url } = read.message
    return handleMessage<Outcome>(incoming, queue, async () => {
      const delivered = await deliverRetry({ deliveryId, attempt, merchantId, url }, parkedOf(incoming.headers))
      if (delivered !== 'done') await park(incoming, delivered.parkMs)
      return 'ack'
    })
  }
}
