import type { RequestListener } from 'node:http'
import express, { type Express, type Request, type RequestHandler, type Router } from 'express'
import { Refused } from '@gateway/contracts'
import { REQUEST_ID_HEADER, type Environment, type HealthCheck, type Log, type Metrics } from '@gateway/service-kit'
import { answerProblem, correlate, healthRoutes } from '@gateway/service-kit/http'
import { addressKey, type ClientAddress, type RateLimiter } from '@gateway/service-kit/limits'

export interface GatewayAppOptions {
  readonly log: Log
  readonly metrics: Metrics
  readonly checks: readonly HealthCheck[]
  /** Routers that limit their callers themselves. */
  readonly routes: readonly Router[]
  /** Documents that need no token. */
  readonly documents: Router
  readonly limitPublic: LimitPublic
}

/** The Express application: one spelling of paths, then `routes` in their order, health, documents, 404. The services parse the bodies. */
export function gatewayApp({ log, metrics, checks, routes, documents, limitPublic }: GatewayAppOptions): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', false)
  app.use(correlate(log, metrics, { edge: true }), requireCanonicalPath(limitPublic))
  for (const route of routes) app.use(route)
  app.use((request, _response, next) => {
    limitPublic(request)
    next()
  })
  // The public must not read the metrics; they have a port of their own.
  app.use('/metrics', notFound)
  for (const route of [healthRoutes(checks, metrics), documents]) app.use(route)
  app.use(notFound)
  return app.use(answerProblem(log))
}

function notFound(): never {
  throw new Refused('not_found', 'There is nothing at this address')
}

/** Segments of unreserved characters (RFC 3986, section 2.3) that are neither empty nor `.` nor `..`, and perhaps a slash at the end. */
const CANONICAL = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?$/u

/**
 * Answers 404 for a path in another spelling, such as `/checkout/%301M8…`. A service would decode it to the usual path, so it would
 * escape the gateway's limits for that path. No path of the gateway needs an encoded character.
 */
function requireCanonicalPath(limitPublic: LimitPublic): RequestHandler {
  return (request, _response, next) => {
    const [path = ''] = request.originalUrl.split('?', 1)
    if (!CANONICAL.test(path)) {
      limitPublic(request)
      // The gateway is no open proxy: it takes no absolute URL.
      if (!path.startsWith('/')) throw new Refused('malformed_request', 'The request target must begin with /')
      return notFound()
    }
    next()
  }
}

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

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  // A checkout link is a secret: the browser must not send it to sites that the page links to.
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
} as const
const HSTS = 'max-age=31536000; includeSubDomains'

/**
 * The first step of every request: sets the security headers, and drops the request id that the caller sent. A service that
 * answers with a header of the same name replaces the one set here.
 */
export function withSecurityHeaders(next: RequestListener, environment: Environment): RequestListener {
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    ...(environment === 'production' ? { 'strict-transport-security': HSTS } : {}),
  })
  return (request, response) => {
    // The gateway makes its own request id: with the caller's, two payments could look like one in the logs.
    Reflect.deleteProperty(request.headers, REQUEST_ID_HEADER)
    for (const [name, value] of headers) response.setHeader(name, value)
    next(request, response)
  }
}
