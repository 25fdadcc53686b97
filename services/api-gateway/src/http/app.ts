import express, { type Express, type Router } from 'express'
import { Refused } from '@gateway/contracts'
import type { HealthCheck, Log, Metrics } from '@gateway/service-kit'
import { answerProblem, correlate, healthRoutes } from '@gateway/service-kit/http'

export interface GatewayAppOptions {
  readonly log: Log
  readonly metrics: Metrics
  readonly checks: readonly HealthCheck[]
  readonly routes: readonly Router[]
}

/** The Express application: `correlate`, health, then `routes` in their order, then 404. The services parse the bodies. */
export function gatewayApp({ log, metrics, checks, routes }: GatewayAppOptions): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', false)
  app.use(correlate(log, metrics, { edge: true }))
  // The public must not read the metrics; they have a port of their own.
  app.use('/metrics', notFound)
  app.use(healthRoutes(checks, metrics))
  for (const route of routes) app.use(route)
  app.use(notFound)
  return app.use(answerProblem(log))
}

function notFound(): never {
  throw new Refused('not_found', 'There is nothing at this address')
}
