import type { RequestListener } from 'node:http'
import type { HealthCheck, Log, Metrics } from '@gateway/service-kit'
import { createApp, createInternalTokenVerifier, requireBearer, requireMerchant } from '@gateway/service-kit/http'
import type { DispatcherConfig } from '../config.ts'
import type { UseCases } from '../use-cases/wire.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { endpointRoutes } from './endpoint-routes.ts'
import { operatorCheckRoutes } from './operator-check-routes.ts'
import { operatorEndpointRoutes } from './operator-endpoint-routes.ts'
import { operatorRoutes } from './operator-routes.ts'

export interface AppsOptions {
  readonly config: Pick<DispatcherConfig, 'jwksUrl' | 'environment' | 'operatorToken'>
  readonly useCases: UseCases
  readonly checks: readonly HealthCheck[]
  readonly metrics: Metrics
  readonly log: Log
  readonly now: () => Date
}

/** Two applications for two ports: what the gateway routes merchants to, and what only operators reach. */
export function createApps({ config, useCases, checks, metrics, log, now }: AppsOptions): {
  merchants: RequestListener
  operators: RequestListener
} {
  const verify = createInternalTokenVerifier({ jwksUrl: config.jwksUrl, environment: config.environment, now })
  const merchants = { ...useCases, requireMerchant: requireMerchant(verify) }
  const operators = { ...useCases, requireOperator: requireBearer(config.operatorToken), log }
  return {
    merchants: createApp({ log, metrics, checks, routes: [endpointRoutes(merchants), deliveryRoutes(merchants)] }),
    operators: createApp({
      log,
      metrics,
      checks,
      routes: [operatorRoutes(operators), operatorCheckRoutes(operators), operatorEndpointRoutes(operators)],
    }),
  }
}
