import { findCards, type CardFinding, type CardPolicy } from '@gateway/contracts'

/** A file or a collection that may hold a card number. */
export interface Source {
  /** Its row in the report, such as `logs of the services`. */
  readonly group: string
  readonly name: string
  readonly policy: CardPolicy
  /** Its bytes, in pieces of any size. */
  readonly open: () => AsyncIterable<Buffer>
}

/** Longer than any form of one number: the end of each piece is searched again together with the next piece. */
const OVERLAP_BYTES = 8 * 1024
/** A number this close to the end of a piece may be incomplete. */
const CUT_BYTES = 16
/** Two views of one number give nearly the same place. */
const SAME_PLACE_BYTES = 8
/** Bounds the memory for a stream full of numbers. */
const MAX_FINDINGS = 1000

/** Scans a stream of any length with bounded memory. Places count from the beginning of the stream. */
export async function scanStream(pieces: AsyncIterable<Buffer> | Iterable<Buffer>, policy: CardPolicy) {
  const findings: CardFinding[] = []
  let bytes = 0
  /** Findings that end before this place have been recorded. */
  let doneUpTo = 0
  let overlap: Buffer = Buffer.alloc(0)

  const search = (buffer: Buffer, isLast: boolean): void => {
    const offset = bytes - buffer.length
    const from = offset === 0 ? 0 : offset + CUT_BYTES
    const to = isLast ? Infinity : bytes - CUT_BYTES
    const found: CardFinding[] = []
    for (const one of findCards(buffer.toString('latin1'), policy)) {
      if (findings.length + found.length >= MAX_FINDINGS) break
      const [start, end] = [offset + one.start, offset + one.end]
      const isKnown = found.some(
        ({ digits, start: other }) => digits === one.digits && Math.abs(other - start) <= SAME_PLACE_BYTES,
      )
      if (start >= from && end <= to && end > doneUpTo && !isKnown) found.push({ ...one, start, end })
    }
    findings.push(...found)
    doneUpTo = to
  }

  for await (const piece of pieces) {
    bytes += piece.length
    const buffer = Buffer.concat([overlap, piece])
    search(buffer, false)
    overlap = buffer.subarray(-OVERLAP_BYTES)
  }
  search(overlap, true)
  return { bytes, findings }
}
