import { boundedCache, type RateLimiter } from '@gateway/service-kit/limits'

/**
 * Bounds the work that an address can cause with credentials which turn out to be worthless: unknown tokens, forged checkout
 * links, unsigned callbacks. The address pays before the work and gets the token back unless the credential was refused.
 *
 * A credential that was accepted from this address before is known. It does not pay in advance and has a bucket of its own, so
 * that a flood from a shared address does not lock out a merchant or shopper that uses the same address.
 */
export interface StrangerGate {
  /** Call `end` of the answer exactly once. Throws `rate_limited`. */
  begin(address: string, credential: string): Attempt
  /** Takes a token for a refusal that caused no work. Throws `rate_limited` when there is none. */
  turnAway(address: string): void
}

export interface Attempt {
  /** `undecided`: the work failed for another reason, such as a service that is away. Later calls are ignored. */
  end(outcome: Outcome): void
}

export type Outcome = 'accepted' | 'refused' | 'undecided'

/** What the service's status says about a link or a signature. */
export function outcomeOf(status: number): Outcome {
  if (status < 400) return 'accepted'
  return status === 401 || status === 404 ? 'refused' : 'undecided'
}

/** Above this number the credential that was not used for longest is forgotten, and pays in advance again. */
const MAX_KNOWN = 50_000

export function createStrangerGate(limit: RateLimiter): StrangerGate {
  const known = boundedCache<true>(MAX_KNOWN)
  return {
    turnAway: limit,
    begin(address, credential) {
      const key = `${address} ${credential}`
      const isKnown = known.get(key) === true
      if (isKnown) limit.check(key)
      else limit(address)

      let ended = false
      return {
        end(outcome) {
          if (ended) return
          ended = true
          if (isKnown && outcome === 'refused') limit.charge(key)
          if (!isKnown && outcome !== 'refused') limit.refund(address)
          if (outcome === 'accepted') known.set(key, true)
        },
      }
    },
  }
}
