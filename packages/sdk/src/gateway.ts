import { systemClock, type Clock } from './clock.ts'
import { GatewayError } from './errors.ts'
import { readBaseUrl } from './http/base-url.ts'
import { createTokenSource, type Credentials } from './http/token.ts'
import { createStreamTransport, createTransport } from './http/transport.ts'
import { userAgent, type AppInfo } from './http/user-agent.ts'
import { createDeliveries, type Deliveries } from './resources/deliveries.ts'
import { createEndpoint, createRefundEndpoint, type EndpointCalls, type RefundEndpointCalls } from './resources/endpoint.ts'
import { createDowntimes, type Downtimes } from './resources/downtimes.ts'
import { createOrders, type Orders } from './resources/orders.ts'
import { createRefunds, type Refunds } from './resources/refunds.ts'
import { createReports, type Reports } from './resources/reports.ts'
import { createSandbox, type Sandbox } from './resources/sandbox.ts'
import { createSettlements, type Settlements } from './resources/settlements.ts'
import { readTimeline } from './resources/timeline.ts'
import type { Timeline } from './generated/types.ts'

export interface GatewayOptions {
  /** The address of the sandbox or of production: https, or http on this machine. */
  readonly baseUrl: string
  /** Allow http also to another machine, such as `pgw certify` beside a container. For sandbox keys only; a live key is refused. */
  readonly allowHttp?: boolean
  /** Needed by every call, not by `verify`. Missing ones throw at the first call. */
  readonly credentials?: Credentials
  /** Another `fetch`, for a proxy or an agent of your own. */
  readonly fetch?: typeof fetch
  /** One try, from connecting to the last byte of the answer; 15,000 by default. */
  readonly timeoutMs?: number
  /** A whole call with its retries; 45,000 by default. */
  readonly deadlineMs?: number
  /** 3 by default; 0 means none. */
  readonly maxRetries?: number
  /** Your program, for the user agent. */
  readonly appInfo?: AppInfo
  /** Time and randomness, for tests. */
  readonly clock?: Clock
}

/**
 * A client of the payment gateway for one merchant. Make one and keep it: it mints and renews its own tokens.
 *
 * @example
 * const gateway = new Gateway({
 *   baseUrl: 'https://sandbox.gateway.example',
 *   credentials: { key_id: process.env.KEY_ID ?? '', key_secret: process.env.KEY_SECRET ?? '' },
 * })
 */
export class Gateway {
  readonly orders: Orders
  readonly endpoint: EndpointCalls
  readonly refundEndpoint: RefundEndpointCalls
  readonly deliveries: Deliveries
  readonly refunds: Refunds
  readonly reports: Reports
  readonly settlements: Settlements
  readonly downtimes: Downtimes
  readonly sandbox: Sandbox
  readonly #token: () => Promise<string>
  readonly #timeline: (orderId: string) => Promise<Timeline>

  constructor(options: GatewayOptions) {
    const {
      baseUrl,
      credentials,
      allowHttp = false,
      timeoutMs = 15_000,
      deadlineMs = 45_000,
      maxRetries = 3,
      appInfo,
      clock = systemClock,
    } = options
    requireWhole('timeoutMs', timeoutMs, 1)
    requireWhole('deadlineMs', deadlineMs, 1)
    requireWhole('maxRetries', maxRetries, 0)
    const tokens = createTokenSource(credentials, clock)
    const transport = {
      baseUrl: readBaseUrl(baseUrl, allowHttp && credentials?.key_id.trim().startsWith('key_sandbox_') === true),
      // Read at each call, so that a test may replace the global one.
      fetch: options.fetch ?? ((...request) => fetch(...request)),
      tokens,
      clock,
      timeoutMs,
      deadlineMs,
      maxRetries,
      userAgent: userAgent(appInfo),
    }
    const send = createTransport(transport)
    this.#token = () => tokens.current()
    this.orders = createOrders(send, clock)
    this.endpoint = createEndpoint(send)
    this.refundEndpoint = createRefundEndpoint(send)
    this.deliveries = createDeliveries(send)
    this.#timeline = (orderId) => readTimeline(send, orderId)
    this.refunds = createRefunds(send)
    this.reports = createReports(createStreamTransport(transport))
    this.settlements = createSettlements(send)
    this.downtimes = createDowntimes(send)
    this.sandbox = createSandbox(send)
  }

  /**
   * What happened to an order, with its webhooks.
   *
   * @example const { events, incomplete } = await gateway.timeline('ORD-1001')
   */
  timeline(orderId: string): Promise<Timeline> {
    return this.#timeline(orderId)
  }

  /**
   * A valid Bearer token, for a call that this package does not have.
   *
   * @example const headers = { authorization: `Bearer ${await gateway.token()}` }
   */
  token(): Promise<string> {
    return this.#token()
  }
}

function requireWhole(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) throw new GatewayError(`${name} must be a whole number from ${least}`)
}
