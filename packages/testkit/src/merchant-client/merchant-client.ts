import type {
  CreateOrderRequest,
  CreateOrderResponse,
  RegisteredEndpoint,
  RotatedSecret,
  SearchOrderResponse,
  SimulateRequest,
  SimulateResponse,
  WebhookDeliveriesPage,
  WebhookEndpoint,
} from '@gateway/contracts'
import type { ApiAnswer, ApiCall, ApiConnection } from './connection.ts'
import type { MerchantCredentials } from './create-merchant.ts'
import { tokenSource } from './token.ts'

/** A merchant's program: its own tokens, and the calls of the public API (design, section 5). No call is repeated. */
export interface MerchantClient {
  readonly credentials: MerchantCredentials
  /** A valid Bearer token: made at the first use, and again shortly before it ends. */
  token(): Promise<string>
  create(order: CreateOrderRequest): Promise<ApiAnswer<CreateOrderResponse>>
  search(orderId: string): Promise<ApiAnswer<SearchOrderResponse>>
  readEndpoint(): Promise<ApiAnswer<WebhookEndpoint>>
  registerEndpoint(url: string): Promise<ApiAnswer<RegisteredEndpoint>>
  rotateSecret(): Promise<ApiAnswer<RotatedSecret>>
  deliveries(filter?: DeliveriesFilter): Promise<ApiAnswer<WebhookDeliveriesPage>>
  /** Sandbox only: the simulated network pays an order in a chosen way. */
  simulate(request: SimulateRequest): Promise<ApiAnswer<SimulateResponse>>
  /** Any other call of the public API, with the merchant's token. */
  readonly call: ApiCall
}

export interface DeliveriesFilter {
  readonly order_id?: string
  readonly limit?: number
  readonly cursor?: string
}

/** The connection may be shared with other merchants; the one that opened it closes it. */
export function createMerchantClient({ call: send }: ApiConnection, credentials: MerchantCredentials): MerchantClient {
  const token = tokenSource(credentials)
  const call: ApiCall = async (method, path, body, headers) =>
    send(method, path, body, { authorization: `Bearer ${await token()}`, ...headers })
  return {
    credentials,
    token,
    call,
    create: (order) => call('POST', '/api/v1/orders/create', order),
    search: (orderId) => call('POST', '/api/v1/order/search', { order_id: orderId }),
    readEndpoint: () => call('GET', '/api/v1/webhooks/endpoint'),
    registerEndpoint: (url) => call('PUT', '/api/v1/webhooks/endpoint', { url }),
    rotateSecret: () => call('POST', '/api/v1/webhooks/endpoint/rotate-secret'),
    deliveries: (filter = {}) => call('GET', `/api/v1/webhooks/deliveries${queryOf(filter)}`),
    simulate: (request) => call('POST', '/api/v1/sandbox/simulate', request),
  }
}

function queryOf(filter: DeliveriesFilter): string {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]))
  return query.size === 0 ? '' : `?${query.toString()}`
}
