import ipaddr from 'ipaddr.js'
import { readInternalApiToken, readServer, type EnvReader, type ServerConfig } from '@gateway/service-kit'

export interface GatewayConfig extends ServerConfig {
  /** Where Prometheus reads; never the public port. `undefined`: nowhere. */
  readonly metricsPort: number | undefined
  readonly internalApiToken: string
  readonly upstreams: UpstreamUrls
  readonly upstreamTimeoutMs: number
  readonly limits: RateLimits
  /** Addresses and networks of the proxies in front, whose `x-forwarded-for` counts. */
  readonly trustedProxies: readonly string[]
}

export interface UpstreamUrls {
  readonly authToken: string
  readonly orderApi: string
  readonly paymentStatus: string
  readonly checkout: string
  readonly webhookDispatcher: string
  /** Sandbox only. */
  readonly networkSimulator: string | undefined
}

/** Requests per second and gateway replica; 0 is no limit (design, section 5). */
export interface RateLimits {
  readonly createPerSecond: number
  readonly readPerSecond: number
  readonly anonymousPerSecond: number
  readonly checkoutPerSecond: number
}

const MAX_PER_SECOND = 1_000_000

export function readGatewayConfig(env: EnvReader): GatewayConfig {
  const server = readServer(env, 8080)
  const perSecond = (name: string, fallback: number, whose: string) =>
    env.integer(name, fallback, `${whose}; 0 is no limit`, { max: MAX_PER_SECOND, unit: 'requests per second and replica' })
  return {
    ...server,
    metricsPort: env.optionalPort('METRICS_PORT', 'where Prometheus reads `/metrics`, never the public port; nowhere without it'),
    internalApiToken: readInternalApiToken(env),
    upstreams: readUpstreams(env),
    upstreamTimeoutMs: readTimeoutMs(env),
    limits: {
      createPerSecond: perSecond('RATE_LIMIT_CREATE_PER_SECOND', 100, 'orders that one merchant may create'),
      readPerSecond: perSecond('RATE_LIMIT_READ_PER_SECOND', 200, 'all other requests of one merchant'),
      anonymousPerSecond: perSecond('RATE_LIMIT_ANONYMOUS_PER_SECOND', 20, 'requests without a valid token from one address'),
      checkoutPerSecond: perSecond('RATE_LIMIT_CHECKOUT_PER_SECOND', 50, 'requests for one checkout'),
    },
    trustedProxies: readTrustedProxies(env),
  }
}

function readUpstreams(env: EnvReader): UpstreamUrls {
  return {
    authToken: env.serviceUrl('AUTH_TOKEN_URL', 'where auth-token is'),
    orderApi: env.serviceUrl('ORDER_API_URL', 'where order-api is'),
    paymentStatus: env.serviceUrl('PAYMENT_STATUS_URL', 'where payment-status is'),
    checkout: env.serviceUrl('CHECKOUT_URL', 'where checkout is'),
    webhookDispatcher: env.serviceUrl('WEBHOOK_DISPATCHER_URL', 'where webhook-dispatcher is'),
    networkSimulator: env.sandboxUrl('NETWORK_SIMULATOR_URL', 'where network-simulator is, if there is one'),
  }
}

function readTimeoutMs(env: EnvReader): number {
  const timeoutMs = env.durationMs('UPSTREAM_TIMEOUT', '10s', 'how long a service may take to answer; 100ms to 5m')
  if (timeoutMs < 100 || timeoutMs > 300_000) env.reject('UPSTREAM_TIMEOUT must be from 100ms to 5m')
  return timeoutMs
}

/** Names such as `loopback`, addresses, networks; never everybody, since then any client could say who it is. */
function readTrustedProxies(env: EnvReader): string[] {
  const proxies = env.list(
    'TRUST_PROXY',
    '`loopback`, `linklocal`, `uniquelocal`, addresses or networks',
    'the proxies in front, whose `x-forwarded-for` counts; nobody without it',
  )
  if (!proxies.every(isProxy))
    env.reject('TRUST_PROXY must be loopback, linklocal, uniquelocal, addresses or networks, not everybody')
  return proxies
}

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)) return true
  return ipaddr.isValidCIDR(text) && ipaddr.parseCIDR(text)[1] > 0
}
