import type { MerchantService } from '@gateway/contracts'
import type { GatewayConfig, UpstreamUrls } from '../config.ts'
import { createUpstreamPool, type Upstream } from './upstream-pool.ts'

/** Every service that the gateway forwards to, by its key in the configuration. */
export type Upstreams = Readonly<Record<Exclude<keyof UpstreamUrls, 'networkSimulator' | 'ledger'>, Upstream>> & {
  /** Sandbox only. */
  readonly networkSimulator?: Upstream
  /** Missing in a deployment without a ledger. */
  readonly ledger?: Upstream
  /** The ledger again, with connections that only reports use: each long answer keeps one busy. */
  readonly reports?: Upstream
  /** auth-token again, with connections that only polls for revocations use: waiting exchanges never delay them. */
  readonly revocations: Upstream
  /** payment-status again, with connections that only callbacks use: unsigned ones never take those of merchants. */
  readonly callbacks: Upstream
  /** webhook-dispatcher again, with connections that only listening merchants use: each stream keeps one busy. */
  readonly listeners: Upstream
}

/** What a route is forwarded to. */
export type UpstreamName = Exclude<keyof Upstreams, 'revocations'>

/** For each upstream of merchants' requests, the service that their internal tokens name. */
export const MERCHANT_UPSTREAMS = {
  authToken: 'auth-token',
  orderApi: 'order-api',
  paymentStatus: 'payment-status',
  webhookDispatcher: 'webhook-dispatcher',
  listeners: 'webhook-dispatcher',
  ledger: 'ledger',
  reports: 'ledger',
  networkSimulator: 'network-simulator',
} as const satisfies Partial<Record<UpstreamName, MerchantService>>
export type MerchantUpstream = keyof typeof MERCHANT_UPSTREAMS

const CONNECTIONS = 128
/** The event stream of each open checkout page keeps one connection busy. */
const CHECKOUT_CONNECTIONS = 4096

/** More than the streams that one dispatcher accepts. */
const LISTEN_CONNECTIONS = 1024

/** As many reports as one ledger writes at once, for a few replicas. */
const REPORT_CONNECTIONS = 64

/** One poll is in flight at a time; a second connection replaces one that was closed. */
const POLL_CONNECTIONS = 2

/** Opens one connection pool for each use of an upstream. */
export function createUpstreams({ upstreams: urls, upstreamTimeoutMs: timeoutMs }: GatewayConfig): Upstreams {
  const pool = (name: string, url: string, connections = CONNECTIONS) => createUpstreamPool({ name, url, timeoutMs, connections })
  const { networkSimulator: simulator, ledger } = urls
  return {
    authToken: pool('auth-token', urls.authToken),
    orderApi: pool('order-api', urls.orderApi),
    paymentStatus: pool('payment-status', urls.paymentStatus),
    checkout: pool('checkout', urls.checkout, CHECKOUT_CONNECTIONS),
    webhookDispatcher: pool('webhook-dispatcher', urls.webhookDispatcher),
    listeners: pool('webhook-dispatcher', urls.webhookDispatcher, LISTEN_CONNECTIONS),
    callbacks: pool('payment-status', urls.paymentStatus),
    revocations: pool('auth-token', urls.authToken, POLL_CONNECTIONS),
    ...(ledger === undefined ? {} : { ledger: pool('ledger', ledger), reports: pool('ledger', ledger, REPORT_CONNECTIONS) }),
    ...(simulator === undefined ? {} : { networkSimulator: pool('network-simulator', simulator) }),
  }
}
