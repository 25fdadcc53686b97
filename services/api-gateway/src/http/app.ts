import express, { type Express, type Router } from 'express'
import { Refused } from '@gateway/contracts'
import type { HealthCheck, Log, Metrics } from '@gateway/service-kit'
import { answerProblem, correlate, healthRoutes } from '@gateway/service-kit/http'
import { requireCanonicalPath } from './canonical-path.ts'
import type { LimitPublic } from './limit-public.ts'

export interface GatewayAppOptions {
  readonly log: Log
  readonly metrics: Metrics
  readonly checks: readonly HealthCheck[]
  /** Routers that limit their callers themselves. */
  readonly routes: readonly Router[]
  /** Documents that need no token. */
  readonly documents: readonly Router[]
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
  for (const route of [healthRoutes(checks, metrics), ...documents]) app.use(route)
  app.use(notFound)
  return app.use(answerProblem(log))
}

function notFound(): never {
  throw new Refused('not_found', 'There is nothing at this address')
}
