import type { UpstreamUrls } from '../config.ts'

/** One operation that the gateway passes on (design, sections 2 and 5). */
export interface ApiOperation {
  readonly to: keyof UpstreamUrls
  /** `merchant`: a bearer token that can be exchanged. `anyone`: limited by address. `network`: signed, so neither. */
  readonly caller: 'merchant' | 'anyone' | 'network'
  readonly rate: 'create' | 'read'
  /** Sending it twice has the effect of once, so a broken connection may be tried again. */
  readonly repeatable: boolean
  /** Added to the usual time to wait: the service itself waits for somebody else. */
  readonly extraTimeoutMs?: number
}

export type Method = 'DELETE' | 'GET' | 'POST' | 'PUT'
export type ApiRoutes = Readonly<Record<string, Readonly<Partial<Record<Method, ApiOperation>>>>>

const read = { caller: 'merchant', rate: 'read' } as const
const webhooks = { ...read, to: 'webhookDispatcher' } as const

/** A merchant's endpoint has ten seconds for the test event. */
const TEST_EVENT_MS = 15_000

/** One part of a recovery is paced. */
const RECOVER_MS = 15_000

/** Every path that is routed, with its methods; what is not here does not exist. */
export const API_ROUTES = {
  '/api/v1/auth/token': { POST: { to: 'authToken', caller: 'anyone', rate: 'read', repeatable: true } },
  '/api/v1/orders/create': { POST: { to: 'orderApi', caller: 'merchant', rate: 'create', repeatable: true } },
  '/api/v1/order/search': { POST: { ...read, to: 'paymentStatus', repeatable: true } },
  '/api/v1/webhooks/endpoint': { PUT: { ...webhooks, repeatable: true }, GET: { ...webhooks, repeatable: true } },
  '/api/v1/webhooks/endpoint/enable': { POST: { ...webhooks, repeatable: true } },
  '/api/v1/webhooks/endpoint/rotate-secret': { POST: { ...webhooks, repeatable: false } },
  '/api/v1/webhooks/test': { POST: { ...webhooks, repeatable: false, extraTimeoutMs: TEST_EVENT_MS } },
  '/api/v1/webhooks/deliveries': { GET: { ...webhooks, repeatable: true } },
  '/api/v1/webhooks/deliveries/recover': { POST: { ...webhooks, repeatable: true, extraTimeoutMs: RECOVER_MS } },
  '/api/v1/webhooks/deliveries/:id/resend': { POST: { ...webhooks, repeatable: false } },
  '/network/v1/callbacks': { POST: { to: 'paymentStatus', caller: 'network', rate: 'read', repeatable: true } },
} as const satisfies ApiRoutes

/** Only where there is a simulator. */
export const SANDBOX_ROUTES = {
  '/api/v1/sandbox/simulate': { POST: { ...read, to: 'networkSimulator', repeatable: false } },
} as const satisfies ApiRoutes
