import { LRUCache } from 'lru-cache'
import {
  customersResponse,
  internalOrderReader,
  TRANSACTION_ID_PATTERN,
  type CustomerView,
  type InternalOrder,
} from '@gateway/contracts'
import { createBatcher, type Log } from '@gateway/service-kit'
import { createServiceClient, type ServiceClient } from '@gateway/service-kit/http-client'
import { SEARCH_BATCHES } from '../search-batches.ts'

/** What `payment-status` asks of `order-api`, which owns the orders. */
export interface Orders {
  /** `undefined` when there is no such order. Throws `Unavailable` when `order-api` does not answer: never a false 404. */
  byTransaction(transactionId: string): Promise<InternalOrder | undefined>
  byOrderId(merchantId: string, orderId: string): Promise<InternalOrder | undefined>
  /** The shopper as the merchant gave them; all `null` while `order-api` is away. Concurrent calls are one request. */
  customerOf(transactionId: string): Promise<CustomerView>
}

const TRANSACTION_ID = new RegExp(TRANSACTION_ID_PATTERN, 'u')
const UNKNOWN: CustomerView = { id: null, name: null, email: null, phone: null }

/** Orders never change, but for a customer who is forgotten: search must not know for longer than this. */
export const CUSTOMERS_KEPT_MS = 60_000

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_SOCKETS = 50

export function orderApi(
  { url, internalApiToken }: { url: string; internalApiToken: string },
  log: Log,
  customersKeptMs = CUSTOMERS_KEPT_MS,
): Orders {
  const client = createServiceClient({
    baseUrl: url,
    bearer: internalApiToken,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxSockets: MAX_SOCKETS,
    unavailable: { code: 'order_api_unavailable', detail: 'The order cannot be looked up now; try again' },
  })
  const customers = new LRUCache<string, CustomerView>({ max: 10_000, ttl: customersKeptMs })
  const fetchCustomer = createBatcher<string, CustomerView>({
    ...SEARCH_BATCHES,
    maxQueued: 2000,
    run: (transactionIds) => fetchCustomers(client, transactionIds),
  })
  return {
    async byTransaction(transactionId) {
      // What was never an id of ours needs no question, and must not become a path.
      return TRANSACTION_ID.test(transactionId)
        ? fetchOrder(client, `/internal/v1/orders/by-transaction/${transactionId}`)
        : undefined
    },
    byOrderId: (merchantId, orderId) => fetchOrder(client, `/internal/v1/orders/by-order-id/${merchantId}/${orderId}`),
    async customerOf(transactionId) {
      const known = customers.get(transactionId)
      if (known) return known
      try {
        const customer = await fetchCustomer(transactionId)
        customers.set(transactionId, customer)
        return customer
      } catch (error) {
        log.warn('the customer of an order cannot be had now', { transaction_id: transactionId, error })
        return UNKNOWN
      }
    },
  }
}

async function fetchOrder(client: ServiceClient, path: string): Promise<InternalOrder | undefined> {
  const { status, data } = await client.get(path)
  if (status === 200 && internalOrderReader(data)) return data
  // Any other 404, such as a proxy's, says nothing about the order.
  if (status === 404 && hasCode(data, 'order_not_found')) return undefined
  throw client.unavailable(`status ${status}`)
}

async function fetchCustomers(client: ServiceClient, transactionIds: string[]): Promise<PromiseSettledResult<CustomerView>[]> {
  const { status, data } = await client.post('/internal/v1/orders/customers', { transaction_ids: transactionIds })
  if (status !== 200 || !customersResponse(data)) throw client.unavailable(`status ${status}`)
  return transactionIds.map((id): PromiseSettledResult<CustomerView> => {
    const value = data.customers[id]
    return value ? { status: 'fulfilled', value } : { status: 'rejected', reason: client.unavailable('customer left out') }
  })
}

function hasCode(data: unknown, code: string): boolean {
  return typeof data === 'object' && data !== null && 'code' in data && data.code === code
}
