import { readServer, readServiceToken, type EnvReader } from '@gateway/service-kit'
import { isNetwork, readTrustedProxies } from '@gateway/service-kit/limits'

/** The largest value of a limit. */
const MAX_LIMIT = 1_000_000

/** Limits of 0 mean no limit. Upstreams that are not configured are `undefined`, and their routes answer 404. */
export type GatewayConfig = Readonly<ReturnType<typeof readGatewayConfig>>

export function readGatewayConfig(env: EnvReader) {
  const perSecond = (name: string, fallback: number, meaning: string) =>
    env.integer(name, fallback, `${meaning}; 0 means no limit`, { max: MAX_LIMIT, unit: 'requests per second and replica' })
  return {
    ...readServer(env, 8080),
    metricsPort: env.optionalPort('METRICS_PORT', 'Port for `/metrics`; metrics are off when unset. Must differ from `PORT`'),
    /** Sent to auth-token. */
    serviceToken: readServiceToken(env),
    upstreams: readUpstreams(env),
    upstreamTimeoutMs: readTimeoutMs(env),
    /** Requests per second and gateway replica (design, section 5). */
    limits: {
      createPerSecond: perSecond('RATE_LIMIT_CREATE_PER_SECOND', 100, 'Orders that one merchant may create per second'),
      readPerSecond: perSecond(
        'RATE_LIMIT_READ_PER_SECOND',
        200,
        'Requests that change nothing, and searches, that one merchant may send per second',
      ),
      writePerSecond: perSecond(
        'RATE_LIMIT_WRITE_PER_SECOND',
        100,
        'Changes other than orders, such as refunds, that one merchant may request per second',
      ),
      anonymousPerSecond: perSecond(
        'RATE_LIMIT_ANONYMOUS_PER_SECOND',
        20,
        'Requests without a valid token that one client address may send per second',
      ),
      checkoutPerSecond: perSecond(
        'RATE_LIMIT_CHECKOUT_PER_SECOND',
        50,
        'Requests that may be sent to one checkout page per second',
      ),
    },
    maxConnectionsPerAddress: env.integer(
      'MAX_CONNECTIONS_PER_ADDRESS',
      500,
      'Connections that one client address may have open; 0 means no limit',
      { max: MAX_LIMIT, unit: 'connections per replica' },
    ),
    /** Addresses and networks of the proxies in front of the gateway, whose `x-forwarded-for` is believed. */
    trustedProxies: readTrustedProxies(env),
    /** Empty for any. */
    callbackNetworks: readCallbackNetworks(env),
  }
}

function readUpstreams(env: EnvReader) {
  return {
    authToken: env.serviceUrl('AUTH_TOKEN_URL', 'Address of auth-token'),
    orderApi: env.serviceUrl('ORDER_API_URL', 'Address of order-api'),
    paymentStatus: env.serviceUrl('PAYMENT_STATUS_URL', 'Address of payment-status'),
    checkout: env.serviceUrl('CHECKOUT_URL', 'Address of checkout'),
    webhookDispatcher: env.serviceUrl('WEBHOOK_DISPATCHER_URL', 'Address of webhook-dispatcher'),
    ledger: env.optionalServiceUrl('LEDGER_URL', 'Address of ledger; lists and timelines of orders are off when unset'),
    networkSimulator: env.sandboxUrl(
      'NETWORK_SIMULATOR_URL',
      'Address of network-simulator; the simulate route is off when unset',
    ),
  }
}

function readTimeoutMs(env: EnvReader): number {
  const timeoutMs = env.durationMs('UPSTREAM_TIMEOUT', '10s', 'How long a service may take to answer; from 100ms to 5m')
  if (timeoutMs < 100 || timeoutMs > 300_000) env.reject('UPSTREAM_TIMEOUT must be from 100ms to 5m')
  return timeoutMs
}

function readCallbackNetworks(env: EnvReader): string[] {
  const networks = env.list(
    'CALLBACK_ALLOWED_NETWORKS',
    'addresses or networks',
    'Where network callbacks may come from; anywhere when unset',
  )
  if (!networks.every(isNetwork)) env.reject('CALLBACK_ALLOWED_NETWORKS must be addresses or networks such as 203.0.113.0/24')
  return networks
}
