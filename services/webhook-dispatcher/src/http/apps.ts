import type { RequestListener } from 'node:http'
import { Router } from 'express'
import type { Audited, HealthCheck, Log, Metrics } from '@gateway/service-kit'
import { auditOperators, createApp, makeRequireCaller, requireOperator } from '@gateway/service-kit/http'
import { createInternalTokenVerifier, makeRequireMerchant } from '@gateway/service-kit/merchant-auth'
import type { DispatcherConfig } from '../config.ts'
import type { ReadTimeline } from '../use-cases/read-timeline.ts'
import { deliveryRoutes, type DeliveryRoutesOptions } from './delivery-routes.ts'
import { endpointRoutes, type EndpointRoutesOptions } from './endpoint-routes.ts'
import { listenRoute, type ListenRoute, type ListenRouteOptions } from './listen-route.ts'
import { operatorCheckRoutes, type OperatorCheckRoutesOptions } from './operator-check-routes.ts'
import { operatorEndpointRoutes, type OperatorEndpointRoutesOptions } from './operator-endpoint-routes.ts'
import { operatorRoutes, type OperatorRoutesOptions } from './operator-routes.ts'
import { timelineRoute } from './timeline-route.ts'

type MerchantOptions = EndpointRoutesOptions & DeliveryRoutesOptions & Pick<ListenRouteOptions, 'openListenSession' | 'limits'>
type OperatorOptions = OperatorRoutesOptions & OperatorCheckRoutesOptions & OperatorEndpointRoutesOptions

export interface AppsOptions {
  readonly config: Pick<DispatcherConfig, 'jwksUrl' | 'environment' | 'acceptsAnyService' | 'operators' | 'callers'>
  readonly useCases: Omit<MerchantOptions, 'requireMerchant'> &
    Omit<OperatorOptions, 'log'> & { readonly readTimeline: ReadTimeline }
  readonly checks: readonly HealthCheck[]
  readonly metrics: Metrics
  readonly log: Log
  readonly audited: Audited
  readonly now: () => Date
}

/** Two applications on two ports: merchants' routes, called by the gateway, and operators' routes. */
export function createApps({ config, useCases, checks, metrics, audited, log, now }: AppsOptions): {
  merchants: RequestListener
  operators: RequestListener
  /** Sandbox only. */
  listen?: ListenRoute
} {
  const { jwksUrl, environment, acceptsAnyService } = config
  const verify = createInternalTokenVerifier({ jwksUrl, environment, audience: 'webhook-dispatcher', acceptsAnyService, now })
  const merchants = { ...useCases, requireMerchant: makeRequireMerchant(verify) }
  const listen = config.environment === 'sandbox' ? listenRoute({ ...merchants, log, now }) : undefined
  const operator = Router().use('/operator', requireOperator(config.operators), auditOperators(audited))
  const operators = { ...useCases, log }
  const internal = timelineRoute({ requireCaller: makeRequireCaller(config.callers), readTimeline: useCases.readTimeline })
  const merchantRoutes = [endpointRoutes(merchants), deliveryRoutes(merchants), ...(listen ? [listen.router] : []), internal]
  return {
    ...(listen && { listen }),
    merchants: createApp({ log, metrics, checks, routes: merchantRoutes }),
    operators: createApp({
      log,
      metrics,
      checks,
      routes: [operator, operatorRoutes(operators), operatorCheckRoutes(operators), operatorEndpointRoutes(operators)],
    }),
  }
}
