import { createMetrics, startWorker, type HealthCheck, type Log, type Metrics, type Stoppable } from '@gateway/service-kit'
import { createApp, listen, type RunningServer } from '@gateway/service-kit/http'
import type { GatewayConfig, UpstreamUrls } from './config.ts'
import { apiRouter } from './http/api-router.ts'
import { API_ROUTES, SANDBOX_ROUTES } from './http/api-routes.ts'
import { gatewayApp } from './http/app.ts'
import { checkoutRouter } from './http/checkout-router.ts'
import { door } from './http/door.ts'
import { withShortcut } from './http/shortcut.ts'
import { openApiRoute } from './openapi/openapi-route.ts'
import { createAuthTokenClient } from './upstream/auth-token-client.ts'
import { createUpstream, type Upstream } from './upstream/upstream.ts'
import { makeExchangeTokens } from './use-cases/exchange-tokens.ts'
import { createRateLimiter } from './use-cases/rate-limiter.ts'
import { createRevocationWatch, POLL_PAUSE_MS } from './use-cases/watch-revocations.ts'

export interface RunningGateway {
  readonly port: number
  readonly metricsPort: number | undefined
  readonly parts: readonly Stoppable[]
}

const CONNECTIONS = 128
/** Each shopper who waits for the end of a payment holds one. */
const CHECKOUT_CONNECTIONS = 4096

/** Without these no merchant is served; the others are missed by some calls only. */
const CRITICAL: readonly (keyof UpstreamUrls)[] = ['authToken', 'orderApi', 'paymentStatus']

/** Starts the public door. `monotonicMs` is a clock that only goes forward. */
export async function startApiGateway(
  config: GatewayConfig,
  {
    log,
    now = () => new Date(),
    monotonicMs = () => performance.now(),
  }: { log: Log; now?: () => Date; monotonicMs?: () => number },
): Promise<RunningGateway> {
  const upstreams = connect(config)
  const { authToken, checkout } = upstreams
  const client = createAuthTokenClient(authToken, config.internalApiToken)
  const revocations = createRevocationWatch({ ask: (since) => client.revocations(since), monotonicMs, log })
  const exchangeTokens = makeExchangeTokens({ ask: (token) => client.exchange(token), revocations, now })

  const limiter = (perSecond: number) => createRateLimiter(perSecond, monotonicMs)
  const { createPerSecond, readPerSecond, anonymousPerSecond, checkoutPerSecond } = config.limits
  const limits = { create: limiter(createPerSecond), read: limiter(readPerSecond), anonymous: limiter(anonymousPerSecond) }
  const routes = upstreams.networkSimulator ? { ...API_ROUTES, ...SANDBOX_ROUTES } : API_ROUTES
  const { upstreamTimeoutMs, trustedProxies } = config

  const metrics = createMetrics('api-gateway')
  const checks = Object.entries(upstreams).map(([key, upstream]) => checkOf(key, upstream))
  const api = { routes, upstreams, exchangeTokens, limits, upstreamTimeoutMs }
  const app = gatewayApp({
    log,
    metrics,
    checks,
    trustedProxies,
    routes: [
      apiRouter(api),
      checkoutRouter({ upstream: checkout, limit: limiter(checkoutPerSecond) }),
      openApiRoute({ sandbox: config.environment === 'sandbox' }),
    ],
  })
  // The first request must find out whether revocations are known, not whether the first poll was faster.
  await revocations.poll()
  const poller = startWorker({
    name: 'revocations',
    log,
    idleMs: POLL_PAUSE_MS,
    step: () => revocations.poll().then(() => false),
  })
  const http = await listen(door(withShortcut(app, api, { log, metrics, edge: true }), config.environment), config)
  const metricsHttp = await listenForMetrics(config, { log, metrics, checks })
  const pools = Object.values(upstreams).map((upstream) => ({ name: upstream.name, stop: () => upstream.close() }))
  return {
    port: http.port,
    metricsPort: metricsHttp?.port,
    parts: [http, poller, ...(metricsHttp ? [metricsHttp] : []), ...pools],
  }
}

type Upstreams = Readonly<Record<Exclude<keyof UpstreamUrls, 'networkSimulator'>, Upstream>> & {
  readonly networkSimulator?: Upstream
}

function connect({ upstreams: urls, upstreamTimeoutMs: timeoutMs }: GatewayConfig): Upstreams {
  const to = (name: string, url: string, connections = CONNECTIONS) => createUpstream({ name, url, timeoutMs, connections })
  const { networkSimulator: simulator } = urls
  return {
    authToken: to('auth-token', urls.authToken),
    orderApi: to('order-api', urls.orderApi),
    paymentStatus: to('payment-status', urls.paymentStatus),
    checkout: to('checkout', urls.checkout, CHECKOUT_CONNECTIONS),
    webhookDispatcher: to('webhook-dispatcher', urls.webhookDispatcher),
    ...(simulator === undefined ? {} : { networkSimulator: to('network-simulator', simulator) }),
  }
}

function checkOf(key: string, upstream: Upstream): HealthCheck {
  return { name: upstream.name, critical: CRITICAL.some((name) => name === key), isUp: () => upstream.isUp() }
}

/**
 * Also where an orchestrator asks whether this replica serves: `/readyz` names its neighbours there, and is ready without them.
 * Were it not, one that is away would take every replica out, and with them what the others could still do.
 */
async function listenForMetrics(
  { metricsPort, host }: GatewayConfig,
  { log, metrics, checks }: { log: Log; metrics: Metrics; checks: readonly HealthCheck[] },
): Promise<RunningServer | undefined> {
  if (metricsPort === undefined) return undefined
  const named = checks.map((check) => ({ ...check, critical: false }))
  const server = await listen(createApp({ log, metrics, checks: named, routes: [] }), { port: metricsPort, host })
  return { ...server, name: 'metrics-http' }
}
