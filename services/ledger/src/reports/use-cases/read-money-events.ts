import type { Entry, ReadEntries } from '../../reconciliation/index.ts'
import { narrowerMs, widerMs } from '@gateway/service-kit'

/** Yields, in chunks and oldest first, a merchant's entries whose money moved at `from` or later and before `to`. */
export type ReadMoneyEvents = (range: {
  readonly merchantId: string
  readonly from: Date
  readonly to: Date
}) => AsyncGenerator<readonly Entry[], void>

const FIRST_WIDTH_MS = 60 * 60 * 1000
/** Entries in memory at most. */
const CHUNK = 2000
const FEW = CHUNK / 8

/** Reads windows of time. Their width follows the number of entries, so no query returns more than a chunk or has to sort. */
export function makeReadMoneyEvents(readEntries: ReadEntries): ReadMoneyEvents {
  return async function* readMoneyEvents({ merchantId, from, to }) {
    let [startMs, widthMs] = [from.getTime(), FIRST_WIDTH_MS]
    while (startMs < to.getTime()) {
      const endMs = Math.min(startMs + widthMs, to.getTime())
      const range = { merchantId, from: new Date(startMs), to: new Date(endMs) }
      const found = await readEntries.inAnyOrder(range, CHUNK)
      const narrower = found.length < CHUNK ? undefined : narrowerMs(endMs - startMs)
      if (narrower !== undefined) {
        widthMs = narrower
        continue
      }
      if (found.length < CHUNK) yield moved(found.toSorted((one, other) => one.at.getTime() - other.at.getTime()))
      else yield* byKey(range)
      if (found.length < FEW) widthMs = widerMs(widthMs)
      startMs = endMs
    }
  }

  /** Reads one millisecond that holds a chunk or more. */
  async function* byKey(range: Parameters<ReadMoneyEvents>[0]): ReturnType<ReadMoneyEvents> {
    let after: Entry | undefined
    for (;;) {
      const found = await readEntries.byKey(range, after, CHUNK)
      yield moved(found)
      if (found.length < CHUNK) return
      after = found.at(-1)
    }
  }
}

/** A pending or failed refund has moved no money. */
function moved(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ status }) => status === 'succeeded')
}
