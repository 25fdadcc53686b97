import { refundFits, refundPosition, type LedgerRefund, type RefundFilter } from '../domain/refund.ts'
import type { ReadRefunds } from '../persistence/refunds.ts'

export interface RefundsFound {
  /** Newest first, at most `limit`. */
  readonly refunds: readonly LedgerRefund[]
  /** The position where the next page begins; `undefined` on the last page. */
  readonly next: string | undefined
}

/** @param before a position; `undefined` begins with the newest refund */
export type ListRefunds = (filter: RefundFilter, before: string | undefined, limit: number) => Promise<RefundsFound>

/** One call reads at most this many documents, so a page may be short. */
const MAX_EXAMINED = 5000
const MAX_CHUNK = 1000
/** A chunk is so many times as large as the one before it. */
const GROWTH = 4

/** Reads chunks until the page is full, the list ends, or `MAX_EXAMINED` is reached. */
export function makeListRefunds(readRefunds: ReadRefunds): ListRefunds {
  return async (filter, before, limit) => {
    const found: LedgerRefund[] = []
    // One more than the page, to know whether there is a next one.
    let [position, examined, size, isLast] = [before, 0, limit + 1, false]
    while (!isLast && found.length <= limit && examined < MAX_EXAMINED) {
      const chunk = await readRefunds(filter, position, size)
      found.push(...chunk.filter((refund) => refundFits(refund, filter)))
      examined += chunk.length
      isLast = chunk.length < size
      position = positionOf(chunk) ?? position
      size = Math.min(size * GROWTH, MAX_CHUNK, MAX_EXAMINED - examined)
    }
    const refunds = found.slice(0, limit)
    if (found.length > limit) return { refunds, next: positionOf(refunds) }
    return { refunds, next: isLast ? undefined : position }
  }
}

function positionOf(refunds: readonly LedgerRefund[]): string | undefined {
  const last = refunds.at(-1)
  return last && refundPosition(last.view)
}
