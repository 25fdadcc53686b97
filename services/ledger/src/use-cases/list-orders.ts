import type { ListFilter, ListPosition } from '../domain/list-filter.ts'
import type { Payment } from '../domain/payment.ts'
import type { ReadChunk } from '../persistence/payment-lists.ts'

export interface OrdersFound {
  /** Newest first, at most `limit`. */
  readonly payments: readonly Payment[]
  /** The position where the next page begins; `undefined` on the last page. */
  readonly next: ListPosition | undefined
}

/** Lists the orders that match a filter, from a position on. A page may be short, even empty, before the last one. */
export type ListOrders = (filter: ListFilter, position: ListPosition, limit: number) => Promise<OrdersFound>

/** One call reads at most this many documents. */
const MAX_EXAMINED = 5000

/** Reads chunks until the page is full, the list ends, or `MAX_EXAMINED` is reached. */
export function makeListOrders(readChunk: ReadChunk): ListOrders {
  return async (filter, begin, limit) => {
    const found: Payment[] = []
    let [position, examined]: [ListPosition | undefined, number] = [begin, 0]
    while (position && found.length <= limit && examined < MAX_EXAMINED) {
      // One more than the page, to know whether there is a next one.
      const limits = { wanted: limit + 1 - found.length, examine: MAX_EXAMINED - examined }
      const chunk = await readChunk(filter, position, limits)
      found.push(...chunk.payments)
      examined += chunk.examined
      position = chunk.next
    }
    const payments = found.slice(0, limit)
    const last = payments.at(-1)
    if (found.length > limit && last) position = { before: last.transactionId, widthMs: position?.widthMs ?? begin.widthMs }
    return { payments, next: position }
  }
}
