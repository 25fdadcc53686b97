import { Unavailable, ValidationFailed } from '@gateway/contracts'
import type { Called } from '@gateway/service-kit'
import type { ChangeLimit } from '../domain/change-limit.ts'
import type { RegisterEndpoint } from './register-endpoint.ts'

/** Refused URLs of one merchant and replica. A refusal tells whether a name leads into the operator's network, so few are allowed. */
const REFUSED_URLS: ChangeLimit = { burst: 20, intervalMs: 60_000 }

type Register = Called<RegisterEndpoint>

interface Tries {
  readonly left: number
  readonly at: Date
}

/**
 * Limits registrations whose URL is refused, for both endpoints of a merchant together. Each call takes a token first, so that
 * parallel calls count, and returns it unless the URL was refused. Throws `rate_limited`.
 */
export function makeLimitRegistrations(now: () => Date): (register: Register) => Register {
  const { burst, intervalMs } = REFUSED_URLS
  const used = new Map<string, Tries>()

  function triesOf(merchantId: string): Tries {
    const at = now()
    const before = used.get(merchantId) ?? { left: burst, at }
    return { left: Math.min(burst, before.left + Math.max(0, at.getTime() - before.at.getTime()) / intervalMs), at }
  }

  function change(merchantId: string, by: 1 | -1): void {
    const { left, at } = triesOf(merchantId)
    if (left + by >= burst) used.delete(merchantId)
    else used.set(merchantId, { left: left + by, at })
  }

  return (register) => async (merchantId, url) => {
    const { left } = triesOf(merchantId)
    if (left < 1) throw tooManyRefused(Math.ceil(((1 - left) * intervalMs) / 1000))
    change(merchantId, -1)
    try {
      const registered = await register(merchantId, url)
      change(merchantId, 1)
      return registered
    } catch (error) {
      if (!(error instanceof ValidationFailed)) change(merchantId, 1)
      throw error
    }
  }
}

function tooManyRefused(retryAfterSeconds: number): Unavailable {
  return new Unavailable('rate_limited', 'Too many URLs were refused; try again later', { retryAfterSeconds })
}
