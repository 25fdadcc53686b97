/**
 * The gateway: the only service that the internet reaches. A request passes these steps:
 *
 * 1. `http/app.ts` sets the security headers and drops a request id that the caller sent.
 * 2. `http/hot-proxy.ts` answers the payment path without Express: `POST` to an operation marked `hot` in `operations/`, with
 *    a plain JSON body and a token that is cached; callbacks of the network have no token but pass `http/callback-gate.ts`. It
 *    checks the rate limit and forwards.
 * 3. Express, `http/app.ts`, answers every other request whose path is spelled in the one canonical way:
 *    - `http/api-router.ts` for the operations in `operations/`: token (`use-cases/exchange-tokens.ts`), rate limit
 *      (`limits` of service-kit), body (`readBody` of service-kit), place (`use-cases/share-upstreams.ts`), then `http/forward.ts`;
 *    - `http/checkout-router.ts` for the hosted page;
 *    - with a limit for each address: health, and `reference/routes.ts` for `GET /openapi.json`, `GET /docs` and
 *      `GET /postman.json`; anything else is 404.
 * 4. Both ways send the request through `clients/upstream-pool.ts`, with only the headers that `http/headers.ts` allows.
 */
import { createMetrics, startWorker, type HealthCheck, type Log, type Metrics, type Stoppable } from '@gateway/service-kit'
import { createApp, listen, type RunningServer } from '@gateway/service-kit/http'
import { addressKey, createRateLimiter, makeClientAddress, networkMatcher } from '@gateway/service-kit/limits'
import { createAuthTokenClient } from './clients/auth-token-client.ts'
import { createUpstreams, upstreamChecks, type Upstreams } from './clients/upstreams.ts'
import type { GatewayConfig } from './config.ts'
import { apiRouter } from './http/api-router.ts'
import { gatewayApp, makeLimitPublic, withSecurityHeaders } from './http/app.ts'
import { createCallbackGate } from './http/callback-gate.ts'
import { checkoutRouter } from './http/checkout-router.ts'
import { withHotProxy } from './http/hot-proxy.ts'
import { apiRoutes } from './operations/operations.ts'
import { documentRoutes } from './reference/routes.ts'
import { createExchangeGate, createStrangerGate } from './use-cases/admit-strangers.ts'
import { makeExchangeTokens } from './use-cases/exchange-tokens.ts'
import { createUpstreamShares } from './use-cases/share-upstreams.ts'
import { createRevocationWatch, POLL_PAUSE_MS } from './use-cases/watch-revocations.ts'

/** The gateway's clocks; tests set them. */
interface Clocks {
  readonly now: () => Date
  /** Never runs backwards, in milliseconds. */
  readonly monotonicMs: () => number
}

/** Starts the gateway. The revocation list is polled once before the first request is accepted. */
export async function startApiGateway(
  config: GatewayConfig,
  { log, now = () => new Date(), monotonicMs = () => performance.now() }: { log: Log } & Partial<Clocks>,
) {
  const upstreams = createUpstreams(config)
  const metrics = createMetrics('api-gateway')
  const checks = upstreamChecks(upstreams)
  const { revocations, listener } = wire(config, upstreams, { log, metrics, checks, clocks: { now, monotonicMs } })

  await revocations.poll()
  const step = () => revocations.poll().then(() => false)
  const poller = startWorker({ name: 'revocations', log, idleMs: POLL_PAUSE_MS, step })
  const http = await listen(listener, { ...config, ...edgeLimits(config) })
  const metricsHttp = await listenForMetrics(config, { log, metrics, checks })
  const pools = Object.values(upstreams).map((upstream) => ({ name: upstream.name, stop: () => upstream.close() }))
  const parts: Stoppable[] = [http, poller, ...(metricsHttp ? [metricsHttp] : []), ...pools]
  return { port: http.port, metricsPort: metricsHttp?.port, parts }
}

/** Real clients send a request of 64 KiB far sooner. */
const EDGE_TIMEOUTS = { headersTimeoutMs: 5000, requestTimeoutMs: 15_000 }

/** Deadlines and the number of connections of one address. Proxies in front of the gateway carry many clients and have no limit. */
function edgeLimits({ maxConnectionsPerAddress: max, trustedProxies }: GatewayConfig) {
  const isProxy = networkMatcher(trustedProxies)
  const clientOf = (address: string | undefined) => (isProxy(address) ? undefined : addressKey(address))
  return { ...EDGE_TIMEOUTS, connectionLimit: { max: max === 0 ? Infinity : max, clientOf } }
}

interface Shared {
  readonly log: Log
  readonly metrics: Metrics
  readonly checks: readonly HealthCheck[]
}

/** Connects the parts; nothing runs yet. */
function wire(config: GatewayConfig, upstreams: Upstreams, { log, metrics, checks, clocks }: Shared & { clocks: Clocks }) {
  const authToken = createAuthTokenClient(upstreams.authToken, upstreams.revocations, config.serviceToken)
  const { monotonicMs, now } = clocks
  const { upstreamTimeoutMs, environment, callbackNetworks } = config
  const revocations = createRevocationWatch({ fetchRevocations: authToken.revocations, monotonicMs, log })
  const limiter = (perSecond: number) => createRateLimiter(perSecond, monotonicMs)
  const { createPerSecond, readPerSecond, writePerSecond, anonymousPerSecond, checkoutPerSecond } = config.limits
  const merchants = { create: limiter(createPerSecond), read: limiter(readPerSecond), write: limiter(writePerSecond) }
  const limits = { ...merchants, anonymous: limiter(anonymousPerSecond) }
  const exchangeTokens = makeExchangeTokens({
    exchange: authToken.exchange,
    revocations,
    gate: createExchangeGate({ strangers: createStrangerGate(limits.anonymous), limits }),
    environment,
    now,
  })

  const clientAddress = makeClientAddress(config.trustedProxies)
  const strangers = () => createStrangerGate(limiter(anonymousPerSecond))
  const callbacks = createCallbackGate({ allowedNetworks: callbackNetworks, strangers: strangers(), clientAddress })
  const sandbox = environment === 'sandbox'
  const routes = apiRoutes({ sandbox, simulator: upstreams.networkSimulator !== undefined })
  const { whenRevoked } = revocations
  const limitPublic = makeLimitPublic(() => limiter(anonymousPerSecond), clientAddress)
  const api = {
    ...{ routes, upstreams, exchangeTokens, whenRevoked, limits, clientAddress, callbacks, upstreamTimeoutMs },
    ...{ limitPublic, takePlace: createUpstreamShares() },
  }
  const checkout = {
    ...{ upstream: upstreams.checkout, limit: limiter(checkoutPerSecond), strangers: strangers() },
    ...{ clientAddress, limitPublic, log },
  }
  const app = gatewayApp({
    log,
    metrics,
    checks,
    routes: [apiRouter(api), checkoutRouter(checkout)],
    documents: documentRoutes({ sandbox }),
    limitPublic,
  })
  const hotProxy = withHotProxy(app, api, { log, metrics, edge: true })
  return { revocations, listener: withSecurityHeaders(hotProxy, environment) }
}

/**
 * The port for Prometheus and for the orchestrator. Its `/readyz` lists the upstreams and is ready without them: otherwise one
 * upstream that is down would take every gateway replica out of service.
 */
async function listenForMetrics(
  { metricsPort, host }: GatewayConfig,
  { log, metrics, checks }: Shared,
): Promise<RunningServer | undefined> {
  if (metricsPort === undefined) return undefined
  const notCritical = checks.map((check) => ({ ...check, critical: false }))
  const server = await listen(createApp({ log, metrics, checks: notCritical, routes: [] }), { port: metricsPort, host })
  return { ...server, name: 'metrics-http' }
}
