import type { MerchantUpstream, UpstreamName } from '../clients/upstreams.ts'
import type { ShareName } from '../use-cases/share-upstreams.ts'
import type { Rate } from '../use-cases/limit-exchanges.ts'

/** One operation that the gateway forwards (design, sections 2 and 5). */
export type ApiOperation = ColdOperation | HotOperation

interface ForwardedOperation {
  readonly rate: Rate
  /** Sending the request twice has the same effect as once, so it may be sent again after a broken connection. */
  readonly repeatable: boolean
  /** Added to the usual timeout, because the service itself waits for another party. In milliseconds. */
  readonly extraTimeoutMs?: number
  /** Bounds how many of them a caller has at the service; `calls` without it. */
  readonly share?: ShareName
  /** The answer is a stream of events without end. Ended when the credential is revoked. */
  readonly stream?: boolean
}

/** `to`: the service that answers. A bearer token is required. */
interface FromMerchant {
  readonly to: MerchantUpstream
  readonly caller: 'merchant'
}

/** The rate limit counts by address. */
interface FromAnyone {
  readonly to: UpstreamName
  readonly caller: 'anyone'
}

/** The service checks a signature. */
interface FromNetwork {
  readonly to: UpstreamName
  readonly caller: 'network'
}

/** Always forwarded through Express. */
type ColdOperation = ForwardedOperation & (FromMerchant | FromAnyone | FromNetwork) & { readonly hot?: false }

/**
 * Forwarded by the hot proxy when the request is ordinary (`hot-proxy.ts`); otherwise through Express. `POST` only, and only the
 * payment path (docs/adr/0009).
 */
export type HotOperation = ForwardedOperation & (FromMerchant | FromNetwork) & { readonly hot: true; readonly repeatable: true }

export type Method = 'DELETE' | 'GET' | 'POST' | 'PUT'
export interface PathOperations extends Partial<Record<Exclude<Method, 'POST'>, ColdOperation>> {
  readonly POST?: ApiOperation
}
export type ApiRoutes = Readonly<Record<string, PathOperations>>

const read = { caller: 'merchant', rate: 'read' } as const
const write = { caller: 'merchant', rate: 'write' } as const
const list = { ...read, share: 'pages', repeatable: true } as const
const ledger = { ...list, to: 'ledger' } as const
const webhooks = { to: 'webhookDispatcher' } as const
const account = { to: 'authToken' } as const
const hot = { hot: true, repeatable: true } as const

/** A merchant's endpoint has ten seconds to answer the test event. */
const TEST_EVENT_MS = 15_000

/** One call recovers one part of the dead deliveries, at a limited pace. */
const recovery = { ...webhooks, share: 'recoveries', repeatable: true, extraTimeoutMs: 15_000 } as const

/** How long the service may take until its answer begins. */
export function timeoutMsOf({ extraTimeoutMs = 0 }: ApiOperation, upstreamTimeoutMs: number): number {
  return upstreamTimeoutMs + extraTimeoutMs
}

/** Every path that is forwarded, with its methods, and whether it is hot. Any other path is 404. */
export const API_ROUTES = {
  '/api/v1/auth/token': { POST: { to: 'authToken', caller: 'anyone', rate: 'read', repeatable: true } },
  '/api/v1/orders/create': { POST: { to: 'orderApi', caller: 'merchant', rate: 'create', ...hot } },
  '/api/v1/orders': { GET: ledger },
  '/api/v1/orders/:id/timeline': { GET: ledger },
  '/api/v1/reports/daily': { GET: { ...read, to: 'reports', repeatable: true } },
  '/api/v1/settlements': { GET: ledger },
  '/api/v1/settlements/:id/lines': { GET: ledger },
  '/api/v1/order/search': { POST: { ...read, to: 'paymentStatus', ...hot } },
  '/api/v1/refunds': {
    GET: ledger,
    POST: { ...write, to: 'paymentStatus', repeatable: true },
  },
  '/api/v1/downtimes': { GET: { ...read, to: 'paymentStatus', repeatable: true } },
  '/api/v1/refunds/:id': { GET: { ...read, to: 'paymentStatus', repeatable: true } },
  '/api/v1/webhooks/endpoint': {
    PUT: { ...write, ...webhooks, repeatable: true },
    GET: { ...read, ...webhooks, repeatable: true },
  },
  '/api/v1/webhooks/endpoint/enable': { POST: { ...write, ...webhooks, repeatable: true } },
  '/api/v1/webhooks/endpoint/rotate-secret': { POST: { ...write, ...webhooks, repeatable: false } },
  '/api/v1/webhooks/refund-endpoint': {
    PUT: { ...write, ...webhooks, repeatable: true },
    GET: { ...read, ...webhooks, repeatable: true },
  },
  '/api/v1/webhooks/refund-endpoint/enable': { POST: { ...write, ...webhooks, repeatable: true } },
  '/api/v1/webhooks/refund-endpoint/rotate-secret': { POST: { ...write, ...webhooks, repeatable: false } },
  '/api/v1/webhooks/test': { POST: { ...write, ...webhooks, repeatable: false, extraTimeoutMs: TEST_EVENT_MS } },
  '/api/v1/webhooks/deliveries': { GET: { ...list, ...webhooks } },
  '/api/v1/webhooks/deliveries/recover': { POST: { ...write, ...recovery } },
  '/api/v1/webhooks/deliveries/:id/resend': { POST: { ...write, ...webhooks, repeatable: false } },
  '/api/v1/credentials': { GET: { ...list, ...account }, POST: { ...write, ...account, repeatable: false } },
  '/api/v1/credentials/:id': { DELETE: { ...write, ...account, repeatable: true } },
  '/api/v1/audit': { GET: { ...list, ...account } },
  // `callbacks` is payment-status, by connections of its own.
  '/network/v1/callbacks': { POST: { to: 'callbacks', caller: 'network', rate: 'read', ...hot } },
  '/network/v1/callbacks/refunds': { POST: { to: 'callbacks', caller: 'network', rate: 'read', repeatable: true } },
} as const satisfies ApiRoutes

/** Forwarded only in the sandbox. */
export const LISTEN_ROUTES = {
  '/api/v1/webhooks/listen': { GET: { ...read, to: 'listeners', repeatable: true, stream: true } },
} as const satisfies ApiRoutes

/** Forwarded only where a network simulator is configured. */
export const SANDBOX_ROUTES = {
  '/api/v1/sandbox/simulate': { POST: { ...write, to: 'networkSimulator', repeatable: false } },
} as const satisfies ApiRoutes
