import { Readable } from 'node:stream'
import { Router } from 'express'
import { Refused } from '@gateway/contracts'
import type { RateLimiter } from '../use-cases/rate-limiter.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { addressKey } from './client-address.ts'
import { forwardPage, pathOf, requestIdOf } from './forward.ts'
import { pageRequestHeaders } from './headers.ts'
import { hasBody, limitedBody, refuseLargeBody } from './read-body.ts'

/** The secret part of a hosted link, as contracts' checkout-link.ts makes it. */
const LINK = /^\/checkout\/([0-9A-Z]{1,35}-[A-Za-z0-9_-]{24})(?:[/?]|$)/u

/** `.` and `..`, also encoded, could mean another address to the service than to us. */
const DOT_SEGMENT = /(?:^|\/|%2f|\\)(?:\.|%2e){1,2}(?:\/|%2f|\\|\?|$)/iu

const METHODS = ['GET', 'HEAD', 'POST']

/**
 * The hosted page: streamed both ways, neither parsed nor logged, since card data passes here; its event stream is
 * neither buffered nor timed out (design, section 2). The link is the right to use it, so there is no bearer token.
 */
export function checkoutRouter({ upstream, limit }: { upstream: Upstream; limit: RateLimiter }): Router {
  return Router({ caseSensitive: true, strict: true }).all('/checkout/{*path}', async (request, response) => {
    const path = pathOf(request)
    if (DOT_SEGMENT.test(path.split('?', 1)[0] ?? '')) throw new Refused('not_found', 'There is nothing at this address')
    if (!METHODS.includes(request.method)) {
      response.setHeader('allow', METHODS.join(', '))
      throw new Refused('method_not_allowed', `This address takes ${METHODS.join(', ')}`)
    }
    limit(LINK.exec(path)?.[1] ?? addressKey(request.ip))
    refuseLargeBody(request)
    await forwardPage(
      upstream,
      {
        method: request.method,
        path,
        headers: pageRequestHeaders(request.headers, requestIdOf(response)),
        body: hasBody(request) ? Readable.from(limitedBody(request)) : null,
        repeatable: request.method !== 'POST',
        bodyTimeoutMs: 0,
      },
      response,
    )
  })
}
