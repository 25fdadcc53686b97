import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response, type Router } from 'express'
import { Refused } from '@gateway/contracts'
import { REQUEST_ID_HEADER, requestIdFrom, withCorrelation } from './correlation.ts'
import { healthRoutes, type HealthCheck } from './health.ts'
import type { Log } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { toProblem } from './problem.ts'

/** The largest body that any service reads, in bytes. */
export const BODY_LIMIT_BYTES = 64 * 1024

export interface AppOptions {
  readonly log: Log
  readonly metrics: Metrics
  readonly checks: readonly HealthCheck[]
  /** Routes that read the body themselves: raw bytes to verify a signature, or a form. They run before the JSON parser. */
  readonly rawRoutes?: readonly Router[]
  readonly routes: readonly Router[]
}

/** An express application with everything that all services share; errors end in one place, as a problem. */
export function createApp({ log, metrics, checks, rawRoutes = [], routes }: AppOptions): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag')
  app.use(healthRoutes(checks, metrics))
  app.use(correlate(log, metrics))
  for (const route of rawRoutes) app.use(route)
  app.use(requireJson, express.json({ limit: BODY_LIMIT_BYTES, strict: true, type: () => true }))
  for (const route of routes) app.use(route)
  app.use(() => {
    throw new Refused('not_found', 'There is nothing at this address')
  })
  return app.use(answerProblem(log))
}

/** Sends an error as `application/problem+json` with the request id; the caller's 500s are logged with their cause. */
export function answerProblem(log: Log): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const { retryAfterSeconds, ...problem } = toProblem(error)
    if (problem.status >= 500) log[problem.status === 500 ? 'error' : 'warn']('request failed', { code: problem.code, error })
    // Something is on its way already: only a broken connection tells the caller that it is not whole.
    if (response.headersSent) return void response.destroy()
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds))
    if (problem.status === 401) response.setHeader('www-authenticate', 'Bearer')
    response.status(problem.status).type('application/problem+json')
    response.send(JSON.stringify({ ...problem, request_id: response.getHeader(REQUEST_ID_HEADER) }))
  }
}

/** A request id on every answer, in every log line, and one line in the log per request. */
export function correlate(log: Log, metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    const requestId = requestIdFrom(request.get(REQUEST_ID_HEADER))
    const startedAt = process.hrtime.bigint()
    response.setHeader(REQUEST_ID_HEADER, requestId)
    withCorrelation({ requestId, correlationId: requestId }, () => {
      response.once('close', () => {
        const durationMs = Number(process.hrtime.bigint() - startedAt) / 1e6
        // The route's pattern, not its address: a checkout path is a secret.
        const route = routeOf(response)
        metrics.httpDuration.observe({ method: request.method, route, status: response.statusCode }, durationMs / 1000)
        // Neighbours poll; their successes are noise at any level but debug.
        const level = route.startsWith('/internal/') && response.statusCode < 400 ? 'debug' : 'info'
        log[level]('request', {
          method: request.method,
          route,
          status: response.statusCode,
          duration_ms: Math.round(durationMs * 10) / 10,
          aborted: response.writableFinished ? undefined : true,
        })
      })
      next()
    })
  }
}

function routeOf({ req }: Response): string {
  const route: unknown = req.route
  const path = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined
  return typeof path === 'string' ? path : 'none'
}

const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  if (hasBody && !/^application\/json\s*(?:;|$)/iu.test(request.get('content-type') ?? '')) {
    throw new Refused('content_type_unsupported', 'The body must be application/json')
  }
  next()
}
