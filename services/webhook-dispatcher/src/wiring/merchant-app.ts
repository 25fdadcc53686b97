import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { gaugeOf, type HealthCheck, type Metrics } from '@gateway/service-kit'
import { createApp, makeRequireCaller } from '@gateway/service-kit/http'
import { createInternalTokenVerifier, makeIdentify, type Identify } from '@gateway/service-kit/merchant-auth'
import { createReadDeliveries, timelineRoute } from '../deliveries/index.ts'
import {
  deliveryRoutes,
  makeLimitRecoveries,
  makeRecoverDeliveries,
  makeReplayDead,
  type SendTestEvent,
} from '../delivering/index.ts'
import { createMerchantEndpoints, endpointRoutes, makeLimitRegistrations } from '../endpoints/index.ts'
import { createListenSessions, listenRoute, type ListenRoute, makeCopyWebhooks, type StreamLimits } from '../listening/index.ts'
import type { CheckEndpointUrl } from '../sending/index.ts'
import type { Parts } from './parts.ts'

export interface MerchantAppOptions {
  readonly refusalOf: CheckEndpointUrl
  readonly sendTestEvent: SendTestEvent
  readonly listenLimits: StreamLimits | undefined
  readonly checks: readonly HealthCheck[]
  readonly metrics: Metrics
}

/** The merchants' routes, called by the gateway, and the ledger's. */
export function createMerchantApp(
  parts: Parts,
  { refusalOf, sendTestEvent, listenLimits, checks, metrics }: MerchantAppOptions,
): { readonly app: RequestListener; readonly listen: ListenRoute | undefined } {
  const { config, findEndpoint, log, now } = parts
  const { jwksUrl, environment } = config
  const identify = makeIdentify(createInternalTokenVerifier({ jwksUrl, environment, audience: 'webhook-dispatcher', now }))
  const readDeliveries = createReadDeliveries(parts)
  const merchantEndpoints = createMerchantEndpoints({ ...parts, refusalOf, randomBytes })
  const recoverDeliveries = makeRecoverDeliveries({
    // Each call has an instance of its own, so merchants share no pace. Only one call of a merchant runs at a time.
    replayDead: (request, begin) => makeReplayDead(parts)(request, begin),
    findEndpoint,
    now,
  })
  const limits = { limitRegistrations: makeLimitRegistrations(now), limitRecoveries: makeLimitRecoveries() }
  const merchants = { ...parts, ...limits, identify, merchantEndpoints, readDeliveries, recoverDeliveries, sendTestEvent }
  const listen = environment === 'sandbox' ? createListenRoute(parts, identify, { metrics, listenLimits }) : undefined
  const routes = [
    endpointRoutes(merchants),
    deliveryRoutes(merchants),
    ...(listen ? [listen.router] : []),
    timelineRoute(makeRequireCaller(config.callers), readDeliveries),
  ]
  return { app: createApp({ log, metrics, checks, routes }), listen }
}

/** The largest difference between the clocks of two replicas that loses no copy. */
const MAX_SKEW_MS = 60_000

/** `pgw listen`, in the sandbox only. */
function createListenRoute(
  parts: Parts,
  identify: Identify,
  { metrics, listenLimits }: Pick<MerchantAppOptions, 'metrics' | 'listenLimits'>,
): ListenRoute {
  const { timeoutMs, claimMarginMs } = parts.config
  const lookBackMs = timeoutMs + claimMarginMs + MAX_SKEW_MS
  const copyWebhooks = makeCopyWebhooks({ ...parts, lookBackMs })
  const listenSessions = createListenSessions({ ...parts, copyWebhooks, lookBackMs })
  const help = 'Open sessions of merchants that listen to copies of their webhooks (sandbox)'
  gaugeOf(metrics, { name: 'webhook_listen_sessions', help, read: () => listenSessions.count })
  return listenRoute({ ...parts, identify, listenSessions, ...(listenLimits && { limits: listenLimits }) })
}
