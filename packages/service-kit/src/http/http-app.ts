import type { RequestListener } from 'node:http'
import express, { Router, type ErrorRequestHandler, type RequestHandler, type Response } from 'express'
import { Refused } from '@gateway/contracts'
import { REQUEST_ID_HEADER } from '../logging/correlation.ts'
import type { HealthCheck } from '../process/parts.ts'
import type { Log } from '../logging/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { expressRoutes, withHotRoutes, type HotRoute } from './hot-route.ts'
import { observeRequest } from './observe-request.ts'
import { readJson, checkAddress, readQuery, BODY_LIMIT_BYTES } from './read-request.ts'
import { problemAnswer } from './problem.ts'

export interface AppOptions {
  readonly log: Log
  readonly metrics: Metrics
  readonly checks: readonly HealthCheck[]
  /** Routes that read the body themselves, such as a form. They run before the JSON parser. */
  readonly rawRoutes?: readonly Router[]
  /** Routes of the payment path, answered without Express. */
  readonly hotRoutes?: readonly HotRoute[]
  readonly routes: readonly Router[]
}

/** An Express application with the parts that all services share. Errors become problems in one place. */
export function createApp({ log, metrics, checks, rawRoutes = [], hotRoutes = [], routes }: AppOptions): RequestListener {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', readQuery)
  app.use(healthRoutes(checks, metrics))
  app.use(correlate(log, metrics))
  for (const route of rawRoutes) app.use(route)
  app.use(requireAddress).use(expressRoutes(hotRoutes)).use(readJson)
  for (const route of routes) app.use(route)
  app.use(() => {
    throw new Refused('not_found', 'There is nothing at this address')
  })
  app.use(answerProblem(log))
  return withHotRoutes(app, hotRoutes, { log, metrics, limitBytes: BODY_LIMIT_BYTES })
}

/** Sends an error as `application/problem+json` with the request id. */
export function answerProblem(log: Log): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const { status, headers, text } = problemAnswer(error, response.getHeader(REQUEST_ID_HEADER), log)
    // The answer has begun: only a closed connection tells the caller that it is incomplete.
    if (response.headersSent) return void response.destroy()
    response.status(status).set(headers).send(text)
  }
}

/** Adds a request id to every answer and log line, and writes one log line per request. */
export function correlate(log: Log, metrics: Metrics, { edge = false } = {}): RequestHandler {
  return (request, response, next) => {
    observeRequest({ log, metrics, edge }, { request, response, routeOf: () => routeOf(response) }, () => {
      next()
    })
  }
}

function routeOf({ req }: Response): string {
  const route: unknown = req.route
  const path = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined
  return typeof path === 'string' ? path : 'none'
}

const requireAddress: RequestHandler = ({ originalUrl }, _response, next) => {
  checkAddress({ url: originalUrl })
  next()
}

const CHECK_TIMEOUT_MS = 2000

/** `GET /healthz` for the process, `GET /readyz` for its dependencies, `GET /metrics` for Prometheus. */
export function healthRoutes(checks: readonly HealthCheck[], metrics: Metrics): Router {
  return Router()
    .get('/healthz', (_request, response) => {
      response.json({ status: 'ok' })
    })
    .get('/readyz', async (_request, response) => {
      const results = await Promise.all(checks.map(async (check) => ({ check, up: await isUp(check) })))
      for (const { check, up } of results) metrics.dependencyUp.set({ dependency: check.name }, up ? 1 : 0)
      const ready = results.every(({ check, up }) => up || !check.critical)
      response.status(ready ? 200 : 503).json({
        status: !ready ? 'unavailable' : results.every(({ up }) => up) ? 'ok' : 'degraded',
        checks: Object.fromEntries(results.map(({ check, up }) => [check.name, up ? 'up' : 'down'])),
      })
    })
    .get('/metrics', async (_request, response) => {
      response.type(metrics.registry.contentType).send(await metrics.registry.metrics())
    })
}

async function isUp(check: HealthCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, CHECK_TIMEOUT_MS, false)
  })
  try {
    return await Promise.race([Promise.resolve(check.isUp()), timeout])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
