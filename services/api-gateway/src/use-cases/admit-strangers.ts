import { boundedCache, type RateLimiter } from '@gateway/service-kit/limits'

/**
 * Bounds the work that an address can cause with credentials which turn out to be worthless: unknown tokens, forged checkout
 * links, unsigned callbacks. The address pays before the work and gets the token back unless the credential was refused.
 *
 * A credential that was accepted from this address before is known. It does not pay in advance and has a bucket of its own, so
 * that a flood from a shared address does not lock out a merchant or shopper that uses the same address.
 */
export type StrangerGate = ReturnType<typeof createStrangerGate>

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

export function createStrangerGate(limit: RateLimiter) {
  const known = boundedCache<true>(MAX_KNOWN)
  return {
    /** Takes a token for a refusal that caused no work. Throws `rate_limited` when there is none. */
    turnAway: (address: string): void => limit(address),
    /** Call `end` of the answer exactly once. Throws `rate_limited`. */
    begin(address: string, credential: string): Attempt {
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

/** The bucket of a merchant that a call draws on: `create` for orders, `write` for other changes, `read` for the rest. */
export type Rate = 'create' | 'read' | 'write'

/** A call before its merchant is known. */
export interface CallOrigin {
  readonly address: string
  readonly rate: Rate
}

/** Above this number the credential that was not used for longest is forgotten. */
const MAX_MERCHANTS = 50_000

interface Dependencies {
  /** Whose buckets pay for tokens that turn out to be invalid. */
  readonly strangers: StrangerGate
  readonly limits: Readonly<Record<Rate, RateLimiter>>
}

/** Decides whether a call may cause an exchange of its token. */
export type ExchangeGate = ReturnType<typeof createExchangeGate>
export type ExchangeAttempt = ReturnType<ExchangeGate['begin']>

/**
 * A merchant over its limit causes no exchange, however many tokens it makes. Before the exchange the gateway can read only the key
 * id, and a forger can write any. So a call takes from the merchant's bucket only after its token was accepted. Before that, the gate
 * checks that the bucket has enough for this call and for all calls under way from the same address. A forged token thus delays only
 * calls from the forger's own address, whose bucket pays for it.
 */
export function createExchangeGate({ strangers, limits }: Dependencies) {
  const known = boundedCache<{ readonly merchantId: string }>(MAX_MERCHANTS)
  const underWay = createUnderWay()
  return {
    turnAway: (address: string): void => strangers.turnAway(address),
    /** Call `accept` or `fail` of the answer. Throws `rate_limited`. */
    begin(keyId: string, { address, rate }: CallOrigin) {
      const merchantId = known.get(keyId)?.merchantId
      // Counted by key id, too: the first calls of a credential began before its merchant was known.
      const counted = [keyId, ...(merchantId === undefined ? [] : [merchantId])].map((id) => `${rate} ${address} ${id}`)
      // An unknown credential has a full bucket.
      limits[rate].check(merchantId ?? keyId, Math.max(...counted.map(underWay.of)) + 1)
      const attempt = strangers.begin(address, keyId)
      const count = (change: number): void => counted.forEach((key) => underWay.add(key, change))
      count(1)
      return {
        accept(acceptedOf: string): void {
          known.set(keyId, { merchantId: acceptedOf })
          count(-1)
          attempt.end('accepted')
        },
        /** `undecided`: the exchange failed for another reason than the token. */
        fail(outcome: 'refused' | 'undecided'): void {
          count(-1)
          attempt.end(outcome)
        },
      }
    },
  }
}

/** Counts per key; a key without calls takes no memory. */
function createUnderWay() {
  const counts = new Map<string, number>()
  const of = (key: string): number => counts.get(key) ?? 0
  return {
    of,
    add(key: string, change: number) {
      const count = of(key) + change
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
  }
}
