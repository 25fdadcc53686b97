/** PostgreSQL writes its log in pages. Each begins with a header, which may stand in the middle of a value. */
const PAGE_BYTES = 8192
/** `XLogPageHeaderData` and, on the first page of a file, `XLogLongPageHeaderData` (PostgreSQL, access/xlog_internal.h). */
const HEADER_BYTES = 24
const FIRST_HEADER_BYTES = 40

/** The log without the page headers, so that values are contiguous. */
export async function* withoutPageHeaders(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let place = 0
  for await (const piece of pieces) {
    const kept: Buffer[] = []
    for (let from = 0; from < piece.length;) {
      const inPage = (place + from) % PAGE_BYTES
      const header = place + from < PAGE_BYTES ? FIRST_HEADER_BYTES : HEADER_BYTES
      const to = Math.min(piece.length, from + PAGE_BYTES - inPage)
      kept.push(piece.subarray(Math.min(to, from + Math.max(0, header - inPage)), to))
      from = to
    }
    place += piece.length
    yield Buffer.concat(kept)
  }
}
