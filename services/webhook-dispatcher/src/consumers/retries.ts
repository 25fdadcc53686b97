import { handleAs, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import { parkedOf, type Park } from '../publishing/park.ts'
import { wakeUpMessage } from '../publishing/wake-up-message.ts'
import type { DeliverRetry } from '../use-cases/deliver-retry.ts'

/** A wake-up → one more attempt. */
export function retriesConsumer({ deliverRetry, park, queue }: { deliverRetry: DeliverRetry; park: Park; queue: string }) {
  return handleAs(wakeUpMessage, ({ delivery_id: deliveryId, attempt, merchant_id: merchantId, url }, incoming) =>
    handleMessage<Outcome>(incoming, queue, async () => {
      const delivered = await deliverRetry({ deliveryId, attempt, merchantId, url }, parkedOf(incoming.headers))
      if (delivered !== 'done') await park(incoming, delivered.parkMs)
      return 'ack'
    }),
  )
}
