import type { Request } from 'express'
import { addressKey, type ClientAddress, type RateLimiter } from '@gateway/service-kit/limits'

/** Limits the requests of an address that need no token. Throws `rate_limited`. */
export type LimitPublic = (request: Pick<Request, 'path' | 'socket' | 'headers'>) => void

const HEALTH_PATHS = ['/healthz', '/readyz']

/** Health has a limit of its own, so that other requests of a load balancer's address do not make it fail. */
export function makeLimitPublic(newLimiter: () => RateLimiter, clientAddress: ClientAddress): LimitPublic {
  const [health, others] = [newLimiter(), newLimiter()]
  return (request) => {
    const limit = HEALTH_PATHS.includes(request.path) ? health : others
    limit(addressKey(clientAddress(request)))
  }
}
