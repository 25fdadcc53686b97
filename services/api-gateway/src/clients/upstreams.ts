import type { MerchantService } from '@gateway/contracts'
import type { HealthCheck } from '@gateway/service-kit'
import type { GatewayConfig } from '../config.ts'
import { createUpstreamPool, type Upstream } from './upstream-pool.ts'

interface UpstreamRow {
  readonly service: MerchantService | 'checkout'
  readonly url: keyof GatewayConfig['upstreams']
  readonly connections?: number
  /** Readiness asks the service here. `critical`: without it no merchant is served; only some calls need the others. */
  readonly health?: 'critical' | 'other'
}

const CONNECTIONS = 128

/**
 * What the gateway forwards to, one connection pool each. Some services have a second pool, so that calls which keep connections busy
 * or which anybody can send do not use up those of merchants.
 */
const UPSTREAMS = {
  authToken: { service: 'auth-token', url: 'authToken', health: 'critical' },
  orderApi: { service: 'order-api', url: 'orderApi', health: 'critical' },
  paymentStatus: { service: 'payment-status', url: 'paymentStatus', health: 'critical' },
  /** The event stream of each open checkout page keeps one connection busy. */
  checkout: { service: 'checkout', url: 'checkout', connections: 4096, health: 'other' },
  webhookDispatcher: { service: 'webhook-dispatcher', url: 'webhookDispatcher', health: 'other' },
  /** For listening merchants. More than the streams that one dispatcher accepts. */
  listeners: { service: 'webhook-dispatcher', url: 'webhookDispatcher', connections: 1024 },
  /** For callbacks: unsigned ones never take the connections of merchants. */
  callbacks: { service: 'payment-status', url: 'paymentStatus' },
  /** For polls of revocations, one at a time: a second connection replaces one that was closed. */
  revocations: { service: 'auth-token', url: 'authToken', connections: 2 },
  ledger: { service: 'ledger', url: 'ledger', health: 'other' },
  /** For reports, whose long answers keep connections busy: as many as one ledger writes at once, for a few replicas. */
  reports: { service: 'ledger', url: 'ledger', connections: 64 },
  networkSimulator: { service: 'network-simulator', url: 'networkSimulator', health: 'other' },
} as const satisfies Readonly<Record<string, UpstreamRow>>

/** What a route is forwarded to. */
export type UpstreamName = Exclude<keyof typeof UPSTREAMS, 'revocations'>
/** Upstreams of requests with a merchant's token. */
export type MerchantUpstream = Exclude<UpstreamName, 'callbacks' | 'checkout'>
/** Missing in some deployments: the ledger, and in production the simulator. */
type Optional = 'ledger' | 'reports' | 'networkSimulator'
export type Upstreams = Readonly<
  Record<Exclude<keyof typeof UPSTREAMS, Optional>, Upstream> & Partial<Record<Optional, Upstream>>
>

/** The service that the internal token of such a request names. */
export function audienceOf(name: MerchantUpstream): MerchantService {
  return UPSTREAMS[name].service
}

/** The pools whose address is configured. */
export function createUpstreams({ upstreams: urls, upstreamTimeoutMs: timeoutMs }: GatewayConfig): Upstreams {
  const rows: [string, UpstreamRow][] = Object.entries(UPSTREAMS)
  const pools = rows.flatMap(([name, { service, url: key, connections = CONNECTIONS }]) => {
    const url = urls[key]
    return url === undefined ? [] : [[name, createUpstreamPool({ name: service, url, timeoutMs, connections })] as const]
  })
  return Object.fromEntries(pools) as Upstreams
}

/** Each service once. */
export function upstreamChecks(upstreams: Upstreams): HealthCheck[] {
  const rows = Object.entries(UPSTREAMS) as [keyof Upstreams, UpstreamRow][]
  return rows.flatMap(([key, { service: name, health }]) => {
    const upstream = upstreams[key]
    return upstream && health ? [{ name, critical: health === 'critical', isUp: () => upstream.isUp() }] : []
  })
}
