import type { Policy } from './card-numbers.ts'
import { findCards, type Finding } from './find-cards.ts'

export interface ScanResult {
  readonly bytes: number
  readonly findings: readonly Finding[]
}

/** More than any form of one number takes: what a piece ends with is looked at again in front of the next. */
const OVERLAP_BYTES = 8 * 1024
/** A number this close to where a piece was cut may be cut itself. */
const CUT_BYTES = 16
/** The same number in two views stands at nearly the same place. */
const SAME_PLACE_BYTES = 8
/** Enough to know; a stream full of numbers must not fill the memory. */
const MOST_FINDINGS = 1000

/** Scans bytes of any length with bounded memory. Places are counted from the stream's beginning. */
export async function scanStream(pieces: AsyncIterable<Buffer> | Iterable<Buffer>, policy: Policy): Promise<ScanResult> {
  const findings: Finding[] = []
  let bytes = 0
  /** Everything that ends before this place has been told. */
  let toldUpTo = 0
  let held: Buffer = Buffer.alloc(0)

  const look = (buffer: Buffer, isLast: boolean): void => {
    const offset = bytes - buffer.length
    const from = offset === 0 ? 0 : offset + CUT_BYTES
    const to = isLast ? Infinity : bytes - CUT_BYTES
    const found = findCards(buffer.toString('latin1'), policy)
      .map((finding) => ({ ...finding, start: offset + finding.start, end: offset + finding.end }))
      .filter(({ start, end }) => start >= from && end <= to && end > toldUpTo)
    findings.push(...eachOnce(found).slice(0, MOST_FINDINGS - findings.length))
    toldUpTo = to
  }

  for await (const piece of pieces) {
    bytes += piece.length
    const buffer = Buffer.concat([held, piece])
    look(buffer, false)
    held = buffer.subarray(-OVERLAP_BYTES)
  }
  look(held, true)
  return { bytes, findings }
}

function eachOnce(findings: readonly Finding[]): Finding[] {
  const kept = new Map<string, Finding[]>()
  for (const finding of findings) {
    const same = kept.get(finding.digits) ?? []
    if (!same.some(({ start }) => Math.abs(start - finding.start) <= SAME_PLACE_BYTES)) same.push(finding)
    kept.set(finding.digits, same)
  }
  return [...kept.values()].flat()
}
