/** Documents that the query of one page may read and sort. */
export const MAX_READ = 1000

const HOUR_MS = 60 * 60 * 1000
/** Beyond this the whole list is read: it holds fewer documents than a page. */
const LONGEST_MS = 400 * 24 * HOUR_MS
const FACTOR = 8

/**
 * Where the range of a page may begin, so that its query reads few documents: FerretDB reads every document of a range before it
 * sorts (125,000 of one merchant took 1.6 s). Tries growing and shrinking ranges that end at `end`. `undefined`: from the beginning.
 *
 * @param countFrom documents from an instant on up to the end of the range, counted to `MAX_READ` at most
 * @param atLeast documents that fill the page
 */
export async function pageStart(
  countFrom: (from: Date) => Promise<number>,
  { end, atLeast }: { readonly end: Date; readonly atLeast: number },
): Promise<Date | undefined> {
  let [tooShortMs, tooLongMs, lengthMs] = [0, Infinity, HOUR_MS]
  while (lengthMs <= LONGEST_MS) {
    const from = new Date(end.getTime() - lengthMs)
    const count = await countFrom(from)
    if (count >= atLeast && count < MAX_READ) return from
    if (count < atLeast) tooShortMs = lengthMs
    else tooLongMs = lengthMs
    // More documents than that in one millisecond cannot be told apart by time.
    if (tooLongMs - tooShortMs <= 1) return new Date(end.getTime() - tooLongMs)
    lengthMs = nextLengthMs(tooShortMs, tooLongMs)
  }
  return undefined
}

function nextLengthMs(tooShortMs: number, tooLongMs: number): number {
  if (tooLongMs === Infinity) return tooShortMs * FACTOR
  if (tooShortMs === 0) return Math.max(1, Math.floor(tooLongMs / FACTOR))
  return Math.floor((tooShortMs + tooLongMs) / 2)
}
