import { Readable } from 'node:stream'
import { Router } from 'express'
import { Refused } from '@gateway/contracts'
import type { Upstream } from '../clients/upstream.ts'
import type { RateLimiter } from '../use-cases/rate-limiter.ts'
import { addressKey } from './client-address.ts'
import { forwardPage, pathOf, requestIdOf } from './forward.ts'
import { pageRequestHeaders } from './headers.ts'
import { hasBody, limitedBody, refuseLargeBody } from './read-body.ts'

/** The secret part of a checkout link, as contracts' checkout-link.ts makes it. */
const LINK = /^\/checkout\/([0-9A-Z]{1,35}-[A-Za-z0-9_-]{24})(?:[/?]|$)/u

/** `.` and `..`, also percent-encoded: the service could resolve them to another path than the gateway checked. */
const DOT_SEGMENT = /(?:^|\/|%2f|\\)(?:\.|%2e){1,2}(?:\/|%2f|\\|\?|$)/iu

const METHODS = ['GET', 'HEAD', 'POST']

/**
 * The hosted checkout page. Requests and answers are streamed, never parsed or logged, because they carry card data; event
 * streams are neither buffered nor timed out (design, section 2). The secret link authorizes the request, so no token is needed.
 */
export function checkoutRouter({ upstream, limit }: { upstream: Upstream; limit: RateLimiter }): Router {
  return Router({ caseSensitive: true, strict: true }).all('/checkout/{*path}', async (request, response) => {
    const path = pathOf(request)
    if (DOT_SEGMENT.test(path.split('?', 1)[0] ?? '')) throw new Refused('not_found', 'There is nothing at this address')
    if (!METHODS.includes(request.method)) {
      response.setHeader('allow', METHODS.join(', '))
      throw new Refused('method_not_allowed', `This path allows only ${METHODS.join(', ')}`)
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
