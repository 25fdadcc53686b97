import { Router } from 'express'
import { Refused } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { readBody } from '@gateway/service-kit/http'
import { addressKey, type ClientAddress, type RateLimiter } from '@gateway/service-kit/limits'
import type { Upstream } from '../clients/upstream.ts'
import { outcomeOf, type StrangerGate } from '../use-cases/admit-strangers.ts'
import type { LimitPublic } from './limit-public.ts'
import { answerShopper } from './checkout-error-page.ts'
import { forwardPage, requestIdOf } from './forward.ts'
import { pageRequestHeaders } from './headers.ts'

/** The secret part of a checkout link, as contracts' checkout-link.ts makes it. */
const LINK = /^\/checkout\/([0-9A-Z]{1,35}-[A-Za-z0-9_-]{24})(?:[/?]|$)/u

const METHODS = ['GET', 'HEAD', 'POST']

export interface CheckoutRouterOptions {
  readonly upstream: Upstream
  /** Of each link. */
  readonly limit: RateLimiter
  readonly limitPublic: LimitPublic
  /** Whose buckets pay for links that checkout does not know. */
  readonly strangers: StrangerGate
  readonly clientAddress: ClientAddress
  readonly log: Log
}

/**
 * The hosted checkout page. Nothing is parsed or logged, because it carries card data. A form is complete before checkout is
 * called, so that a slow one holds no connection. Answers are streamed, and event streams are not timed out (design, section 2).
 * The secret link authorizes the request, so no token is needed.
 */
export function checkoutRouter({ upstream, limit, limitPublic, strangers, clientAddress, log }: CheckoutRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true }).all('/checkout/{*path}', async (request, response) => {
    const path = request.originalUrl
    const [pathname = ''] = path.split('?', 1)
    if (!METHODS.includes(request.method)) {
      limitPublic(request)
      response.setHeader('allow', METHODS.join(', '))
      throw new Refused('method_not_allowed', `This path allows only ${METHODS.join(', ')}`)
    }
    const address = addressKey(clientAddress(request))
    const link = linkIn(path)
    limit(link ?? address)
    const attempt = strangers.begin(address, link ?? pathname)
    try {
      const headers = pageRequestHeaders(request.headers, requestIdOf(response))
      const body = (await readBody(request)) ?? null
      const sent = { method: request.method, path, headers, body, repeatable: request.method !== 'POST', bodyTimeoutMs: 0 }
      await forwardPage(upstream, sent, response, (status) => attempt.end(outcomeOf(status)))
    } finally {
      attempt.end('undecided')
    }
  })
  return router.use('/checkout', answerShopper(linkIn, log))
}

function linkIn(path: string): string | undefined {
  return LINK.exec(path)?.[1]
}
