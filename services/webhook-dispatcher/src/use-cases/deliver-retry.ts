import type { Deliveries } from '../persistence/deliveries.ts'
import type { AttemptSteps } from './attempt.ts'
import { isAddressed, type Delivered } from './deliver-first.ts'
import type { FindEndpoint } from './endpoint-directory.ts'
import type { EndpointKey, InFlightLimits } from './in-flight-limits.ts'

/** A wake-up: the record decides whether there is anything to do. */
export interface WakeUp extends EndpointKey {
  readonly deliveryId: string
  /** The number of the attempt to make. */
  readonly attempt: number
}

export type DeliverRetry = (wakeUp: WakeUp) => Promise<Delivered>

export interface DeliverRetryOptions {
  readonly findEndpoint: FindEndpoint
  readonly deliveries: Deliveries
  readonly limits: InFlightLimits
  readonly steps: AttemptSteps
  readonly now: () => Date
}

/** Makes one more attempt, if the record still wants it and nobody else makes it: claim → POST → record → publish. */
export function makeDeliverRetry({ findEndpoint, deliveries, limits, steps, now }: DeliverRetryOptions): DeliverRetry {
  return async (wakeUp) => {
    const giveBack = limits.take(wakeUp)
    if (!giveBack) return 'over_limit'
    try {
      // Before the claim: should the database be away for it, nothing is held.
      const known = await findEndpoint(wakeUp.merchantId)
      if (!known) throw new Error('a delivery was opened, so its merchant has an endpoint')
      const delivery = await deliveries.claim(wakeUp.deliveryId, wakeUp.attempt, steps.lease())
      if (!delivery || !isAddressed(delivery)) return 'done'

      const attempt = await steps.post(delivery, wakeUp.attempt, known.signingKeys(now()))
      await steps.record(delivery, attempt, steps.decide(delivery, attempt))
      return 'done'
    } finally {
      giveBack()
    }
  }
}
