import { systemClock, type Clock } from './clock.ts'
import { GatewayError } from './errors.ts'
import { OPERATIONS } from './generated/operations.ts'
import type { Timeline } from './generated/types.ts'
import { exchange, exchangeStream } from './http/exchange.ts'
import { createTokenSource, type Credentials, type TokenSource } from './http/token.ts'
import { createTransport, type Transport } from './http/transport.ts'
import {
  createRefunds,
  createReports,
  createSettlements,
  type Refunds,
  type Reports,
  type Settlements,
} from './resources/money.ts'
import { createOrders, type Orders } from './resources/orders.ts'
import { createDowntimes, createSandbox, type Downtimes, type Sandbox } from './resources/others.ts'
import {
  createDeliveries,
  createEndpoint,
  createRefundEndpoint,
  type Deliveries,
  type EndpointCalls,
  type RefundEndpointCalls,
} from './resources/webhooks.ts'
import { VERSION } from './version.ts'

/** The program that uses this package. */
export interface AppInfo {
  readonly name: string
  readonly version?: string
}

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
  readonly #tokens: TokenSource
  readonly #send: Transport

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
    const send = createTransport(transport, exchange)
    this.#tokens = tokens
    this.#send = send
    this.orders = createOrders(send, clock)
    this.endpoint = createEndpoint(send)
    this.refundEndpoint = createRefundEndpoint(send)
    this.deliveries = createDeliveries(send)
    this.refunds = createRefunds(send)
    this.reports = createReports(createTransport(transport, exchangeStream))
    this.settlements = createSettlements(send)
    this.downtimes = createDowntimes(send)
    this.sandbox = createSandbox(send)
  }

  /** What happened to an order, with its webhooks. */
  async timeline(orderId: string): Promise<Timeline> {
    const { body } = await this.#send(OPERATIONS.readTimeline, { id: orderId })
    const { data, incomplete } = body as { data: Pick<Timeline, 'events'>; incomplete: Timeline['incomplete'] }
    return { ...data, incomplete }
  }

  /**
   * A valid Bearer token, for a call that this package does not have.
   *
   * @example const headers = { authorization: `Bearer ${await gateway.token()}` }
   */
  token(): Promise<string> {
    return this.#tokens.current()
  }
}

function requireWhole(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) throw new GatewayError(`${name} must be a whole number from ${least}`)
}

/**
 * The origin and path of the gateway, without a slash at the end. No error shows the whole address: it may hold a password.
 *
 * @param allowHttp whether http may be used to another machine, which sends tokens without encryption
 */
function readBaseUrl(text: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new GatewayError('baseUrl must be an https address, such as https://sandbox.gateway.example')
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new GatewayError('baseUrl must be an origin and a path only')
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname))
    throw new GatewayError(
      `baseUrl must begin with https: http sends your tokens to ${url.hostname} unencrypted. http is for this machine only`,
    )
  return url.href.replace(/\/+$/u, '')
}

/** Whether a host, as `URL` writes it, is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname)
}

const PROGRAM_NAME = /^[\w!#$%&'*+.^`|~-]{1,50}$/u

/** `sdk/<version> node/<version>`, then the program's own name. Nothing else is told about the machine. */
function userAgent(appInfo: AppInfo | undefined): string {
  const { node } = (globalThis.process as { versions?: { node?: string } } | undefined)?.versions ?? {}
  const parts = [`sdk/${VERSION}`, ...(node === undefined ? [] : [`node/${node}`])]
  if (!appInfo) return parts.join(' ')
  const { name, version } = appInfo
  if (!PROGRAM_NAME.test(name) || (version !== undefined && !PROGRAM_NAME.test(version)))
    throw new GatewayError('appInfo takes a name and a version of letters, digits and ._- only')
  return [...parts, version === undefined ? name : `${name}/${version}`].join(' ')
}
