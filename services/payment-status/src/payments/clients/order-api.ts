import { LRUCache } from 'lru-cache'
import {
  customersResponse,
  internalOrderReader,
  slotOf,
  transactionIds,
  type CustomerView,
  type InternalOrder,
} from '@gateway/contracts'
import { createBatcher, type Log } from '@gateway/service-kit'
import { createServiceClient, problemCode, type ServiceClient } from '@gateway/service-kit/http-client'
import { READ_BATCHING } from '../read-batching.ts'

/** What `payment-status` asks `order-api`, which owns the orders. */
export interface OrderApi {
  /** The order of a transaction; `undefined` when it does not exist. Throws `Unavailable` without a clear answer: never a false 404. */
  byTransaction(transactionId: string): Promise<InternalOrder | undefined>
  /** The same by the merchant's own order id. */
  byOrderId(merchantId: string, orderId: string): Promise<InternalOrder | undefined>
  /** Transaction ids of orders created from `since` on and before `until`; at most `limit`. Throws `Unavailable` without a clear answer. */
  createdBetween(since: Date, until: Date, limit: number): Promise<string[]>
  /** The shopper as the merchant named them; every field is `null` while `order-api` is away. Concurrent calls share one request. */
  customerOf(transactionId: string): Promise<CustomerView>
}

const UNKNOWN: CustomerView = { id: null, name: null, email: null, phone: null }

/** An order never changes, but its customer can be purged: search forgets a customer after this time, in milliseconds. */
export const CUSTOMERS_KEPT_MS = 60_000

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_SOCKETS = 50

/** Asks `order-api` over HTTP and keeps customers in a bounded memory cache. */
export function createOrderApi(
  { url, serviceToken }: { url: string; serviceToken: string },
  log: Log,
  customersKeptMs = CUSTOMERS_KEPT_MS,
): OrderApi {
  const client = createServiceClient({
    baseUrl: url,
    bearer: serviceToken,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxSockets: MAX_SOCKETS,
    unavailable: { code: 'order_api_unavailable', detail: 'The order cannot be looked up now; try again' },
  })
  const customers = new LRUCache<string, CustomerView>({ max: 10_000, ttl: customersKeptMs })
  const fetchCustomer = createBatcher<string, CustomerView>({
    ...READ_BATCHING,
    maxQueued: 2000,
    run: (ids) => fetchCustomers(client, ids),
  })
  return {
    async byTransaction(transactionId) {
      // Text that cannot be one of our ids must not become part of a path.
      return slotOf(transactionId) === undefined
        ? undefined
        : fetchOrder(client, `/internal/v1/orders/by-transaction/${transactionId}`)
    },
    byOrderId: (merchantId, orderId) => fetchOrder(client, `/internal/v1/orders/by-order-id/${merchantId}/${orderId}`),
    async createdBetween(since, until, limit) {
      const params = { since: since.toISOString(), until: until.toISOString(), limit: String(limit) }
      const { status, data } = await client.get('/internal/v1/orders/transaction-ids', { params })
      if (status === 200 && transactionIds(data)) return [...data.transaction_ids]
      throw client.unavailable(`status ${status}`)
    },
    async customerOf(transactionId) {
      const known = customers.get(transactionId)
      if (known) return known
      try {
        const customer = await fetchCustomer(transactionId)
        customers.set(transactionId, customer)
        return customer
      } catch (error) {
        log.warn('customer lookup failed', { transaction_id: transactionId, error })
        return UNKNOWN
      }
    },
  }
}

async function fetchOrder(client: ServiceClient, path: string): Promise<InternalOrder | undefined> {
  const { status, data } = await client.get(path)
  if (status === 200 && internalOrderReader(data)) return data
  // Only a 404 with this code comes from order-api; a proxy's 404 says nothing about the order.
  if (status === 404 && problemCode(data) === 'order_not_found') return undefined
  throw client.unavailable(`status ${status}`)
}

async function fetchCustomers(client: ServiceClient, ids: string[]): Promise<PromiseSettledResult<CustomerView>[]> {
  const { status, data } = await client.post('/internal/v1/orders/customers', { transaction_ids: ids })
  if (status !== 200 || !customersResponse(data)) throw client.unavailable(`status ${status}`)
  return ids.map((id): PromiseSettledResult<CustomerView> => {
    const value = data.customers[id]
    return value ? { status: 'fulfilled', value } : { status: 'rejected', reason: client.unavailable('customer left out') }
  })
}
