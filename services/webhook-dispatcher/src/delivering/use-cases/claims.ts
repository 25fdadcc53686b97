import type { Log } from '@gateway/service-kit'
import type { Deliveries, Delivery } from '../../deliveries/index.ts'

/** From the claim on; `until` also tells this claim from later ones of the same attempt. */
export interface Lease {
  readonly now: Date
  readonly until: Date
}

/** A delivery whose next attempt this replica may make, and the lease that says so. */
export interface Claimed {
  readonly delivery: Delivery
  readonly lease: Lease
}

export type Claims = ReturnType<typeof makeClaims>

export interface ClaimsOptions {
  readonly deliveries: Pick<Deliveries, 'renewClaim'>
  /** The longest exchange, in milliseconds. */
  readonly exchangeMs: number
  /** How much longer a claim holds: one half for storing it, one half for recording the attempt and for clocks that differ. */
  readonly marginMs: number
  readonly log: Log
  readonly now: () => Date
  /** A clock that never jumps. */
  readonly monotonicMs?: () => number
}

const MAX_RENEWALS = 3

/** Claims of attempts. A claim that an election delayed may be over when it is stored, so its age counts, not its success. */
export function makeClaims(options: ClaimsOptions) {
  const { deliveries, exchangeMs, marginMs, log, now, monotonicMs = () => performance.now() } = options

  /** A lease from now on: the attempt must be recorded before `until`; after that the sweep may give it to another replica. */
  function lease(): Lease {
    const from = now()
    return { now: from, until: new Date(from.getTime() + exchangeMs + marginMs) }
  }

  /** Stores a claim; `isFresh` says whether that was fast enough for an exchange under it. */
  async function stored(store: (lease: Lease) => Promise<Delivery | undefined>) {
    const [begunMs, held] = [monotonicMs(), lease()]
    const delivery = await store(held)
    return delivery && { delivery, lease: held, isFresh: monotonicMs() - begunMs <= marginMs / 2 }
  }

  return {
    lease,
    /**
     * Stores a claim by `store`, and again when the database took so long that the lease could end before the exchange. Resolves to
     * `undefined` when another replica has the attempt, or when the database stays slow: then the sweep publishes it again.
     */
    async claim(store: (lease: Lease) => Promise<Delivery | undefined>): Promise<Claimed | undefined> {
      let claimed = await stored(store)
      for (let renewals = 0; claimed && !claimed.isFresh; renewals++) {
        const { delivery, lease: late } = claimed
        log.warn('claim stored late', { delivery: delivery.id, renewals })
        if (renewals === MAX_RENEWALS) return undefined
        claimed = await stored((held) => deliveries.renewClaim(delivery, delivery.attempt_count + 1, late, held))
      }
      return claimed
    },
  }
}
