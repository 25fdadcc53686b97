import ipaddr from 'ipaddr.js'
import { readServer, type EnvReader, type Environment, type ServerConfig } from '@gateway/service-kit'

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
  const { environment } = server
  const perSecond = (name: string, fallback: number) => env.integer(name, fallback, { max: MAX_PER_SECOND })
  return {
    ...server,
    metricsPort: env.optional('METRICS_PORT') === undefined ? undefined : env.port('METRICS_PORT', 0),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
    upstreams: readUpstreams(env, environment),
    upstreamTimeoutMs: readTimeoutMs(env),
    limits: {
      createPerSecond: perSecond('RATE_LIMIT_CREATE_PER_SECOND', 100),
      readPerSecond: perSecond('RATE_LIMIT_READ_PER_SECOND', 200),
      anonymousPerSecond: perSecond('RATE_LIMIT_ANONYMOUS_PER_SECOND', 20),
      checkoutPerSecond: perSecond('RATE_LIMIT_CHECKOUT_PER_SECOND', 50),
    },
    trustedProxies: readTrustedProxies(env),
  }
}

function readUpstreams(env: EnvReader, environment: Environment): UpstreamUrls {
  const simulator = env.optional('NETWORK_SIMULATOR_URL')
  if (simulator !== undefined && environment === 'production') env.reject('NETWORK_SIMULATOR_URL must not be set in production')
  return {
    authToken: env.serviceUrl('AUTH_TOKEN_URL', environment),
    orderApi: env.serviceUrl('ORDER_API_URL', environment),
    paymentStatus: env.serviceUrl('PAYMENT_STATUS_URL', environment),
    checkout: env.serviceUrl('CHECKOUT_URL', environment),
    webhookDispatcher: env.serviceUrl('WEBHOOK_DISPATCHER_URL', environment),
    networkSimulator: simulator === undefined ? undefined : env.serviceUrl('NETWORK_SIMULATOR_URL', environment),
  }
}

function readTimeoutMs(env: EnvReader): number {
  const timeoutMs = env.durationMs('UPSTREAM_TIMEOUT', '10s')
  if (timeoutMs < 100 || timeoutMs > 300_000) env.reject('UPSTREAM_TIMEOUT must be from 100ms to 5m')
  return timeoutMs
}

/** Names such as `loopback`, addresses, networks; never everybody, since then any client could say who it is. */
function readTrustedProxies(env: EnvReader): string[] {
  const proxies = env.list('TRUST_PROXY')
  if (!proxies.every(isProxy))
    env.reject('TRUST_PROXY must be loopback, linklocal, uniquelocal, addresses or networks, not everybody')
  return proxies
}

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)) return true
  return ipaddr.isValidCIDR(text) && ipaddr.parseCIDR(text)[1] > 0
}
