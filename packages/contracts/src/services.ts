/** Every service of the gateway. Each one identifies itself with its own token to the services that it calls. */
export const SERVICE_NAMES = [
  'api-gateway',
  'auth-token',
  'order-api',
  'payment-status',
  'checkout',
  'webhook-dispatcher',
  'ledger',
  'network-simulator',
] as const
export type GatewayService = (typeof SERVICE_NAMES)[number]

export function isGatewayService(name: string | undefined): name is GatewayService {
  return SERVICE_NAMES.some((known) => known === name)
}

/** Which services may call which internal routes (`internal.ts`). A route refuses every other service. */
export const INTERNAL_CALLERS = {
  'auth-token': {
    tokens: ['api-gateway'],
    revocations: ['api-gateway'],
    audit: ['payment-status', 'webhook-dispatcher', 'ledger'],
  },
  'order-api': { orders: ['payment-status'] },
  'payment-status': {
    transactions: ['checkout', 'network-simulator'],
    attempts: ['checkout'],
    transitions: ['webhook-dispatcher'],
    payments: ['ledger'],
    timelines: ['ledger'],
  },
  'webhook-dispatcher': { timelines: ['ledger'] },
} as const satisfies Partial<Record<GatewayService, Readonly<Record<string, readonly GatewayService[]>>>>

/** The services that may call at least one internal route of this one, without duplicates. */
export function callersOf(service: GatewayService): readonly GatewayService[] {
  const routes: Readonly<Partial<Record<GatewayService, object>>> = INTERNAL_CALLERS
  const callers: unknown[] = Object.values(routes[service] ?? {}).flat()
  return SERVICE_NAMES.filter((name) => callers.includes(name))
}

/** The services with routes for merchants. Each accepts only internal tokens that were made for it. */
export const MERCHANT_SERVICES = [
  'order-api',
  'payment-status',
  'webhook-dispatcher',
  'auth-token',
  'ledger',
  'network-simulator',
] as const satisfies readonly GatewayService[]
export type MerchantService = (typeof MERCHANT_SERVICES)[number]

/** What a credential may do; each service enforces the scope of its own routes (design, section 5). */
export const SCOPES = ['orders', 'read', 'webhooks', 'credentials', 'refunds', 'reports'] as const
export type Scope = (typeof SCOPES)[number]

/** The scopes of a credential that was made without any. `refunds` and `reports` are only given by name. */
export const DEFAULT_SCOPES: readonly Scope[] = ['orders', 'read', 'webhooks', 'credentials']

export function isScope(text: unknown): text is Scope {
  return SCOPES.some((scope) => scope === text)
}
