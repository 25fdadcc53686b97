import type { EntryKind, EntryStatus } from '@gateway/contracts'
import { looksLikeCard } from './card-number.ts'
import { entryKey, type Entry } from './entry.ts'
import type { SettlementColumn, SettlementLine, UnreadableLine } from './settlement-line.ts'

export const DIFFERENCE_CLASSES = [
  ...(['missing_at_us', 'missing_at_bank', 'amount_differs', 'status_differs', 'duplicate', 'unreadable'] as const),
] as const
export type DifferenceClass = (typeof DIFFERENCE_CLASSES)[number]

/** `closed`: a later file or a late entry has explained it; `resolved`: an operator has. */
export const DIFFERENCE_STATUSES = ['open', 'closed', 'resolved'] as const

/** What one side says. */
export interface Side {
  readonly amountPaise: number
  readonly status: EntryStatus
}

/** Where the ledger and a settlement file do not agree. The same finding has the same id, however often it is made. */
export interface Difference {
  /** `<file>:<class>:<key of the entry or number of the line>` */
  readonly id: string
  readonly file: string
  readonly class: DifferenceClass
  readonly line: number | null
  readonly merchantId: string | null
  readonly kind: EntryKind | null
  readonly reference: string | null
  readonly ours: Side | null
  readonly bank: Side | null
  /** What is wrong with an unreadable line. */
  readonly column: SettlementColumn | null
  readonly reason: string | null
}

/** A line as it is kept: the first line of its key. */
export interface KeptLine extends SettlementLine {
  readonly file: string
}

/** What follows from kept lines and the entries with their keys. */
export interface Comparison {
  readonly settled: readonly { readonly line: KeptLine; readonly entry: Entry }[]
  readonly unmatched: readonly KeptLine[]
  readonly differences: readonly Difference[]
}

export function compareLines(lines: readonly KeptLine[], entries: ReadonlyMap<string, Entry>): Comparison {
  const pairs = lines.map((line) => ({ line, entry: entries.get(entryKey(line)) }))
  const settled = pairs.flatMap(({ line, entry }) => (entry ? [{ line, entry }] : []))
  const unmatched = pairs.flatMap(({ line, entry }) => (entry ? [] : [line]))
  return { settled, unmatched, differences: [...settled.flatMap(between), ...unmatched.map(missingAtUs)] }
}

function between({ line, entry }: { line: KeptLine; entry: Entry }): Difference[] {
  const found: DifferenceClass[] = [
    ...(line.amountPaise === entry.amountPaise ? [] : (['amount_differs'] as const)),
    ...(line.status === entry.status ? [] : (['status_differs'] as const)),
  ]
  return found.map((name) => ({
    ...aboutEntry(name, line.file, entry),
    line: line.line,
    bank: { amountPaise: line.amountPaise, status: line.status },
  }))
}

function aboutEntry(name: DifferenceClass, file: string, entry: Entry): Difference {
  const { merchantId, kind, reference, amountPaise, status } = entry
  return {
    ...{ id: differenceId(file, name, entryKey(entry)), file, class: name, line: null, merchantId, kind, reference },
    ...{ ours: { amountPaise, status }, bank: null, column: null, reason: null },
  }
}

export function missingAtBank(file: string, entry: Entry): Difference {
  return aboutEntry('missing_at_bank', file, entry)
}

function missingAtUs({ file, line, kind, reference, amountPaise, status }: KeptLine): Difference {
  // The bank may have put a card number where its reference belongs.
  if (looksLikeCard(reference)) return unreadable(file, { line, column: 'reference', reason: 'must not be a card number' })
  return {
    ...{
      id: differenceId(file, 'missing_at_us', entryKey({ kind, reference })),
      file,
      class: 'missing_at_us',
      line,
      kind,
      reference,
    },
    ...{ merchantId: null, ours: null, bank: { amountPaise, status }, column: null, reason: null },
  }
}

/** A line whose key another line has. */
export function duplicate(file: string, { line, kind, reference, amountPaise, status }: SettlementLine): Difference {
  return {
    ...{ id: differenceId(file, 'duplicate', lineNumber(line)), file, class: 'duplicate', line, kind },
    ...{ reference: looksLikeCard(reference) ? null : reference, merchantId: null, ours: null },
    ...{ bank: { amountPaise, status }, column: null, reason: null },
  }
}

export function unreadable(file: string, { line, column, reason }: UnreadableLine): Difference {
  return {
    ...{ id: differenceId(file, 'unreadable', lineNumber(line)), file, class: 'unreadable', line, column, reason },
    ...{ merchantId: null, kind: null, reference: null, ours: null, bank: null },
  }
}

export function differenceId(file: string, name: DifferenceClass, key: string): string {
  return `${file}:${name}:${key}`
}

/** In the order of the lines. */
function lineNumber(line: number): string {
  return String(line).padStart(9, '0')
}
