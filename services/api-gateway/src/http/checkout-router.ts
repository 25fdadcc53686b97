import { Router, type ErrorRequestHandler } from 'express'
import { CHECKOUT_TOKEN, Refused } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { html, problemAnswer, readBody, toProblem, type Html } from '@gateway/service-kit/http'
import { addressKey, type ClientAddress, type RateLimiter } from '@gateway/service-kit/limits'
import type { Upstream } from '../clients/upstream-pool.ts'
import { outcomeOf, type StrangerGate } from '../use-cases/admit-strangers.ts'
import type { LimitPublic } from './app.ts'
import { forward, requestIdOf } from './forward.ts'
import { pageRequestHeaders } from './headers.ts'

/** The secret part of a checkout link. */
const LINK = new RegExp(`^/checkout/(${CHECKOUT_TOKEN})(?:[/?]|$)`, 'u')

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
      await forward({ upstream, request: sent, response, isPage: true }, (status) => {
        attempt.end(outcomeOf(status))
        return undefined
      })
    } finally {
      attempt.end('undecided')
    }
  })
  return router.use('/checkout', answerShopper(log))
}

function linkIn(path: string): string | undefined {
  return LINK.exec(path)?.[1]
}

const TRY_AGAIN_AFTER_SECONDS = '5'
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** A shopper's browser that is over a limit, or that cannot reach checkout, gets a page that tries again; programs get the problem. */
function answerShopper(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const { status } = toProblem(error)
    const isPassing = status === 429 || status >= 502
    if (response.headersSent || !isPassing || request.accepts(['json', 'html']) !== 'html') {
      next(error)
      return
    }
    const { headers } = problemAnswer(error, requestIdOf(response), log)
    const seconds = headers['retry-after'] ?? TRY_AGAIN_AFTER_SECONDS
    response.status(status).set({ ...headers, ...PAGE_HEADERS })
    response.send(tryAgainPage(`/checkout/${linkIn(request.originalUrl) ?? ''}`, seconds).markup)
  }
}

function tryAgainPage(path: string, seconds: string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>One moment, please</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta http-equiv="refresh" content="${seconds}; url=${path}" />
      </head>
      <body>
        <main>
          <h1>One moment, please</h1>
          <p>We cannot show this payment right now. If you have paid already, please do not pay again.</p>
          <p>This page tries again in ${seconds} seconds. <a href="${path}">Try again now</a></p>
          <div lang="hi">
            <h2>कृपया थोड़ी प्रतीक्षा करें</h2>
            <p>हम अभी यह भुगतान नहीं दिखा पा रहे हैं। यदि आप भुगतान कर चुके हैं, तो कृपया दोबारा भुगतान न करें।</p>
            <p>यह पेज ${seconds} सेकंड में फिर से कोशिश करेगा। <a href="${path}">अभी फिर से कोशिश करें</a></p>
          </div>
        </main>
      </body>
    </html>`
}
