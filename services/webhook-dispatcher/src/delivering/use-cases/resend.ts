import { Refused, Unavailable, type ResendTarget } from '@gateway/contracts'
import type { Begin, Log } from '@gateway/service-kit'
import {
  disabledOf,
  endpointDisabled,
  endpointIdOf,
  endpointMissing,
  type FindEndpoint,
  registrationAt,
} from '../../endpoints/index.ts'
import { type Deliveries, type Delivery, deliveryNotFound } from '../../deliveries/index.ts'
import type { RetryPublisher } from '../publishing/retry-publisher.ts'

export type Resend = ReturnType<typeof makeResend>

export interface ResendOptions {
  readonly deliveries: Pick<Deliveries, 'find' | 'reopen' | 'resendAfterRunning'>
  readonly findEndpoint: FindEndpoint
  readonly retries: Pick<RetryPublisher, 'publishNow'>
  readonly log: Log
  readonly now: () => Date
}

const MAX_TRIES = 10

/** Reopens deliveries: same `webhook-id`, same bytes, one attempt now, and the schedule if that one fails. */
export function makeResend({ deliveries, findEndpoint, retries, log, now }: ResendOptions) {
  return {
    /** One more attempt of a merchant's own delivery, in any status. Throws `delivery_not_found`, `endpoint_missing`, `endpoint_disabled`. */
    async ofMerchant(merchantId: string, id: string, to: ResendTarget, begin: Begin): Promise<void> {
      const find = () => deliveries.find(id, merchantId)
      await resend(find, begin, (delivery) => (to === 'original' ? Promise.resolve(delivery.original_url) : currentUrl(delivery)))
    },

    /**
     * One more attempt of a dead delivery; without `to` to its last URL, or to the current endpoint if it never had one. Also throws
     * `delivery_not_dead`.
     */
    async dead(id: string, to?: ResendTarget, begin?: Begin): Promise<void> {
      const find = () => deliveries.find(id)
      await resend(find, begin, async (delivery) => {
        if (delivery.state.status !== 'dead') throw new Refused('delivery_not_dead', 'Only a dead delivery can be replayed')
        if (to === 'current') return currentUrl(delivery)
        return to === 'original' ? delivery.original_url : (delivery.url ?? currentUrl(delivery))
      })
    },
  }

  async function currentUrl(delivery: Delivery): Promise<string | null> {
    const known = await findEndpoint(endpointIdOf(delivery))
    return registrationAt(known?.endpoint, now())?.url ?? null
  }

  /** Reads the delivery again when it changes between the read and the guarded update. */
  async function resend(
    find: () => Promise<Delivery | undefined>,
    begin: Begin | undefined,
    urlOf: (delivery: Delivery) => Promise<string | null>,
  ): Promise<void> {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const delivery = await find()
      if (!delivery) throw deliveryNotFound()
      const url = await urlOf(delivery)
      if (url === null) throw endpointMissing()
      const known = await findEndpoint(endpointIdOf(delivery))
      if (disabledOf(known?.endpoint.health ?? [], url)) throw endpointDisabled()
      if (tryNumber === 1) await begin?.()
      if (await deliveries.reopen(delivery, url, now())) return publish({ ...delivery, url })
      if (await deliveries.resendAfterRunning(delivery, url, now())) return
    }
    throw new Unavailable('delivery_busy', 'The delivery is changing; try again')
  }

  /** The record says that an attempt is due: if the broker is away, the sweep publishes it later. */
  async function publish(delivery: Delivery): Promise<void> {
    await retries.publishNow(delivery).catch((error: unknown) => {
      log.warn('resend publish failed, left to the sweep', { delivery: delivery.id, error })
    })
  }
}
