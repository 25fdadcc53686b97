import type { Clock } from '../clock.ts'
import { ApiError, ConnectionError, TimeoutError, WaitTimeout } from '../errors.ts'
import { OPERATIONS } from '../generated/operations.ts'
import type { Transport } from '../http/transport.ts'
import type { CreatedOrder, ListedOrder, NewOrder, Order, OrdersQuery } from '../generated/types.ts'
import { paged, unlessMissing, type Paged } from './answers.ts'

export interface WaitOptions {
  /** How long to wait, in milliseconds. */
  readonly timeoutMs: number
  /** Called with the order as it is first seen, then after each change of its status. */
  readonly onChange?: (order: Order) => void
}

/** Orders of this merchant. */
export type Orders = ReturnType<typeof createOrders>

export function createOrders(send: Transport, clock: Clock) {
  const search = async (orderId: string, deadlineMs?: number): Promise<Order> => {
    const call = { body: { order_id: orderId }, ...(deadlineMs === undefined ? {} : { deadlineMs }) }
    const { body } = await send(OPERATIONS.searchOrder, call)
    return flat(body as Answered<Order>)
  }
  return {
    /**
     * Creates an order. Safe to repeat: the same fields again are one order; other fields under the same `order_id` throw
     * `ApiError` with the code `order_id_conflict`.
     *
     * @returns the order with its checkout links; `created` is false when the order existed already
     * @example
     * const { checkout } = await gateway.orders.create({
     *   order_id: 'ORD-1001',
     *   amount: '499.00',
     *   customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
     * })
     * response.redirect(checkout.url)
     */
    async create(order: NewOrder): Promise<CreatedOrder & { readonly created: boolean }> {
      const { status, body } = await send(OPERATIONS.createOrder, { body: order })
      return { ...flat(body as Answered<CreatedOrder>), created: status === 201 }
    },
    /**
     * The order as it is now, or `undefined` when this merchant has no such order. Never older than a webhook that was sent.
     *
     * @example
     * const order = await gateway.orders.find('ORD-1001')
     * if (order?.transaction.status === 'Success') release(order)
     */
    find: (orderId: string): Promise<Order | undefined> => unlessMissing('order_not_found', () => search(orderId)),
    /** Orders, newest first. A page may be short, even empty, before the last one. */
    list: (query: OrdersQuery = {}): Paged<ListedOrder> => paged(send, OPERATIONS.listOrders, 'orders', { query: { ...query } }),
    /**
     * Asks every second, later every five seconds, until the order is `Success` or `Failed`.
     *
     * @throws `WaitTimeout` after `timeoutMs`, with the order as it was last seen: the payment may still end either way
     * @example
     * const order = await gateway.orders.waitForFinal('ORD-1001', { timeoutMs: 20 * 60_000 })
     */
    waitForFinal: (orderId: string, options: WaitOptions): Promise<Order> =>
      waitForFinal((deadlineMs) => search(orderId, deadlineMs), options, clock),
  }
}

/** The API answers `{data: {order, transaction}, checkout}`; callers get the three side by side. */
function flat<Data, Links>({ data, checkout }: { readonly data: Data; readonly checkout: Links }): Data & { checkout: Links } {
  return { ...data, checkout }
}

interface Answered<T extends { readonly checkout: unknown }> {
  readonly data: Omit<T, 'checkout'>
  readonly checkout: T['checkout']
}

/** The shortest time that one search gets, so that the last one before the timeout can be answered. */
const LAST_SEARCH_MS = 1000

async function waitForFinal(
  search: (deadlineMs: number) => Promise<Order>,
  { timeoutMs, onChange }: WaitOptions,
  clock: Clock,
): Promise<Order> {
  const endsAtMs = clock.now() + timeoutMs
  let last: Order | undefined
  for (let poll = 0; ; poll++) {
    const order = await unlessUnavailable(search(Math.max(LAST_SEARCH_MS, endsAtMs - clock.now())))
    if (order) {
      if (order.transaction.sequence !== last?.transaction.sequence) onChange?.(order)
      last = order
      if (isFinal(order)) return order
    }
    const leftMs = endsAtMs - clock.now()
    if (leftMs <= 0) throw new WaitTimeout(`The order has no final status after ${timeoutMs} ms; it may still be paid`, last)
    await clock.sleep(Math.min(leftMs, pollDelayMs(poll, clock.random())))
  }
}

/** While the gateway cannot be reached, waiting goes on. */
async function unlessUnavailable(search: Promise<Order>): Promise<Order | undefined> {
  try {
    return await search
  } catch (error) {
    if (error instanceof ConnectionError || error instanceof TimeoutError) return undefined
    if (error instanceof ApiError && (error.status === 429 || error.status >= 500)) return undefined
    throw error
  }
}

/** True when the status of the payment cannot change any more. */
export function isFinal({ transaction: { status } }: Order): boolean {
  return status === 'Success' || status === 'Failed'
}

const FIRST_POLL_MS = 1000
const LONGEST_POLL_MS = 5000
const GROWTH = 1.5

/**
 * How long to wait before the next poll: 1 s, growing to 5 s.
 *
 * @param random from 0 to just below 1: spreads the polls of many callers by a fifth
 */
export function pollDelayMs(poll: number, random: number): number {
  const delayMs = Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * GROWTH ** poll)
  return Math.min(LONGEST_POLL_MS, Math.max(FIRST_POLL_MS, delayMs * (0.9 + random / 5)))
}
