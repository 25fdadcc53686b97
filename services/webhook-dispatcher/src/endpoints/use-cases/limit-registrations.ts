import { Unavailable, ValidationFailed } from '@gateway/contracts'
import type { ChangeLimit } from '../domain/endpoint.ts'

/** Refused URLs of one merchant and replica. A refusal tells whether a name leads into the operator's network, so few are allowed. */
const REFUSED_URLS: ChangeLimit = { burst: 20, intervalMs: 60_000 }

/** Runs a registration, unless too many URLs of the merchant were refused. Throws `rate_limited`. */
export type LimitRegistrations = <R>(merchantId: string, register: () => Promise<R>) => Promise<R>

/**
 * Limits registrations whose URL is refused, for both endpoints of a merchant together. Each call takes a token first, so that
 * parallel calls count, and returns it unless the URL was refused.
 */
export function makeLimitRegistrations(now: () => Date): LimitRegistrations {
  const { burst, intervalMs } = REFUSED_URLS
  const buckets = new Map<string, { readonly tokens: number; readonly at: Date }>()

  function bucketOf(merchantId: string) {
    const at = now()
    const { tokens, at: before } = buckets.get(merchantId) ?? { tokens: burst, at }
    return { tokens: Math.min(burst, tokens + Math.max(0, at.getTime() - before.getTime()) / intervalMs), at }
  }

  function change(merchantId: string, by: 1 | -1): void {
    const { tokens, at } = bucketOf(merchantId)
    if (tokens + by >= burst) buckets.delete(merchantId)
    else buckets.set(merchantId, { tokens: tokens + by, at })
  }

  return async (merchantId, register) => {
    const { tokens } = bucketOf(merchantId)
    if (tokens < 1) {
      const retryAfterSeconds = Math.ceil(((1 - tokens) * intervalMs) / 1000)
      throw new Unavailable('rate_limited', 'Too many URLs were refused; try again later', { retryAfterSeconds })
    }
    change(merchantId, -1)
    try {
      const registered = await register()
      change(merchantId, 1)
      return registered
    } catch (error) {
      if (!(error instanceof ValidationFailed)) change(merchantId, 1)
      throw error
    }
  }
}
