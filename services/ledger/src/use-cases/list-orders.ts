import { fits, type ListFilter, type ListPosition } from '../domain/list-filter.ts'
import type { Payment } from '../domain/payment.ts'
import type { ReadChunk } from '../persistence/payment-lists.ts'

export interface OrdersFound {
  /** Newest first, at most `limit`. */
  readonly payments: readonly Payment[]
  /** Where the next page begins; `undefined` on the last one. */
  readonly next: ListPosition | undefined
}

export type ListOrders = (filter: ListFilter, position: ListPosition, limit: number) => Promise<OrdersFound>

/** Documents that one call reads at most: a page may be short. */
const MAX_EXAMINED = 5000
const MAX_CHUNK = 1000

/** Reads chunks until the page is full, the list ends, or enough was examined. */
export function makeListOrders(readChunk: ReadChunk): ListOrders {
  return async (filter, begin, limit) => {
    const found: Payment[] = []
    let [position, examined, chunkSize]: [ListPosition | undefined, number, number] = [begin, 0, firstChunkSize(filter, limit)]
    while (position && found.length <= limit && examined < MAX_EXAMINED) {
      const chunk = await readChunk(filter, position, Math.min(chunkSize, MAX_EXAMINED - examined))
      found.push(...chunk.payments.filter((payment) => fits(payment, filter)))
      examined += chunk.examined
      position = chunk.next
      chunkSize = MAX_CHUNK
    }
    const payments = found.slice(0, limit)
    const last = payments.at(-1)
    if (found.length > limit && last) position = { before: last.transactionId, widthMs: position?.widthMs ?? begin.widthMs }
    return { payments, next: position }
  }
}

/** Documents read for each place of a page when no index answers a condition: often one in so many fits. */
const READ_FOR_EACH = 10

/** One more than the page, to know whether there is a next one, when every document read fits. */
function firstChunkSize({ indexed, method, minPaise, maxPaise }: ListFilter, limit: number): number {
  // A window that holds a whole chunk is read again, narrower, so a small chunk would cost more queries.
  if (Object.values(indexed).some((value) => value !== undefined)) return MAX_CHUNK
  const allFit = method === undefined && minPaise === undefined && maxPaise === undefined
  return allFit ? limit + 1 : Math.min(MAX_CHUNK, (limit + 1) * READ_FOR_EACH)
}
