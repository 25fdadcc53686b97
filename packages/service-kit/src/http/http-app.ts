import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler, type Response, type Router } from 'express'
import { Refused } from '@gateway/contracts'
import { REQUEST_ID_HEADER } from '../logging/correlation.ts'
import type { HealthCheck } from '../process/health-check.ts'
import { healthRoutes } from './health.ts'
import { expressRoutes, withHotRoutes, type HotRoute } from './hot-route.ts'
import type { Log } from '../logging/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { observeRequest } from './observe-request.ts'
import { readJson } from './parse-body.ts'
import { problemAnswer } from './problem-answer.ts'
import { checkAddress, readQuery } from './read-address.ts'
import { BODY_LIMIT_BYTES } from './read-body.ts'

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
