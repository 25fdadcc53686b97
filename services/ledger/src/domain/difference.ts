import type { EntryKind, EntryStatus } from '@gateway/contracts'
import { looksLikeCard } from './card-number.ts'
import { entryKey, type Entry } from './entry.ts'
import type { SettlementColumn, SettlementLine, UnreadableLine } from './settlement-line.ts'

export const DIFFERENCE_CLASSES = [
  ...(['missing_at_us', 'missing_at_bank', 'amount_differs', 'status_differs', 'duplicate', 'unreadable'] as const),
] as const
export type DifferenceClass = (typeof DIFFERENCE_CLASSES)[number]

/**
 * `closed`: what it says is over, because of a later file or a newer entry; `resolved`: an operator has explained it. A duplicate and
 * an unreadable line stay what they are, so only an operator ends them.
 */
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
  readonly settled: readonly Pair[]
  readonly differences: readonly Difference[]
  /** The lines that have a difference. */
  readonly differing: readonly KeptLine[]
  /** Ids of differences that an earlier comparison may have named, and that do not hold. */
  readonly over: readonly string[]
}

export function compareLines(lines: readonly KeptLine[], entries: ReadonlyMap<string, Entry>): Comparison {
  const pairs = lines.map((line) => ({ line, entry: entries.get(entryKey(line)) }))
  const settled = pairs.flatMap(({ line, entry }) => (entry ? [{ line, entry }] : []))
  const unmatched = pairs.flatMap(({ line, entry }) => (entry ? [] : [line]))
  const unlike = settled.filter((pair) => classesOf(pair).length > 0).map(({ line }) => line)
  return {
    settled,
    differences: [...settled.flatMap(between), ...unmatched.map(missingAtUs)],
    differing: [...unlike, ...unmatched],
    over: settled.flatMap(({ line, entry }) => {
      const names = classesOf({ line, entry })
      return ABOUT_A_LINE.filter((name) => !names.includes(name)).map((name) => differenceId(line.file, name, entryKey(line)))
    }),
  }
}

/** What a comparison of a line can name. */
const ABOUT_A_LINE = ['missing_at_us', 'amount_differs', 'status_differs'] as const satisfies readonly DifferenceClass[]

interface Pair {
  readonly line: KeptLine
  readonly entry: Entry
}

function classesOf({ line, entry }: Pair): DifferenceClass[] {
  return [
    ...(line.amountPaise === entry.amountPaise ? [] : (['amount_differs'] as const)),
    ...(line.status === entry.status ? [] : (['status_differs'] as const)),
  ]
}

function between({ line, entry }: Pair): Difference[] {
  return classesOf({ line, entry }).map((name) => ({
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

/** What is wrong with a line whose reference is a card number. */
export const CARD_NUMBER = { column: 'reference', reason: 'must not be a card number' } as const

function missingAtUs({ file, line, kind, reference, amountPaise, status }: KeptLine): Difference {
  // Kept when its entry existed, which a rebuild has removed for a moment.
  if (looksLikeCard(reference)) return unreadable(file, { line, ...CARD_NUMBER })
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
