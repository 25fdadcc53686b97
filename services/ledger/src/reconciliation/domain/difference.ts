import { holdsCardNumber, type EntryKind, type EntryStatus } from '@gateway/contracts'
import { entryKey, lineKey, type Entry } from './entry.ts'
import type { SettlementColumn } from './settlement-header.ts'
import type { SettlementLine, UnreadableLine } from './settlement-line.ts'

export const DIFFERENCE_CLASSES = [
  ...(['missing_at_us', 'missing_at_bank', 'amount_differs', 'status_differs', 'transaction_differs'] as const),
  ...(['duplicate', 'unreadable'] as const),
] as const
export type DifferenceClass = (typeof DIFFERENCE_CLASSES)[number]

/** What the ledger, or the bank, says about a movement of money. */
export interface Side {
  readonly amount_paise: number
  readonly status: EntryStatus
  /** The transaction that it belongs to; `null` when the bank does not say. */
  readonly tr: string | null
}

/** Where the ledger and a settlement file differ. Its id follows from file, class and entry or line: finding it twice stores it once. */
export interface Difference {
  /** `<file>:<class>:<key of the entry or number of the line>` */
  readonly _id: string
  readonly file: string
  readonly class: DifferenceClass
  readonly line: number | null
  readonly merchant_id: string | null
  readonly kind: EntryKind | null
  readonly reference: string | null
  readonly ours: Side | null
  readonly bank: Side | null
  /** What is wrong with an unreadable line. */
  readonly column: SettlementColumn | null
  readonly reason: string | null
}

/** A stored line: the first line with its kind and reference. */
export interface KeptLine extends SettlementLine {
  readonly file: string
}

/** The result of comparing stored lines with the entries that have their keys. */
export interface Comparison {
  /** The lines that have an entry. */
  readonly settled: readonly Pair[]
  readonly differences: readonly Difference[]
  /** The lines with a difference. */
  readonly differing: readonly KeptLine[]
  /** Ids of differences that an earlier comparison may have found, and that no longer exist. */
  readonly ended: readonly string[]
}

/** @param entries by the keys of their lines */
export function compareLines(lines: readonly KeptLine[], entries: ReadonlyMap<string, Entry>): Comparison {
  const pairs = lines.map((line) => ({ line, entry: entries.get(lineKey(line)) }))
  const settled = pairs.flatMap(({ line, entry }) => (entry ? [{ line, entry }] : []))
  const unmatched = pairs.flatMap(({ line, entry }) => (entry ? [] : [line]))
  const unequal = settled.filter((pair) => classesOf(pair).length > 0).map(({ line }) => line)
  return {
    settled,
    differences: [...settled.flatMap(differencesOf), ...unmatched.map(missingAtUs)],
    differing: [...unequal, ...unmatched],
    ended: settled.flatMap((pair) => {
      const found: readonly DifferenceClass[] = classesOf(pair)
      const ended = (['missing_at_us', ...CHECKED] as const).filter((name) => !found.includes(name))
      return ended.map((name) => differenceId(pair.line.file, name, lineKey(pair.line)))
    }),
  }
}

/** A line with its entry. */
export interface Pair {
  readonly line: KeptLine
  readonly entry: Entry
}

/** In what a line can differ from its entry. */
const CHECKS = {
  amount_differs: ({ line, entry }) => line.amount_paise !== entry.amount_paise,
  status_differs: ({ line, entry }) => line.status !== entry.status,
  transaction_differs: ({ line, entry }) => line.tr !== null && line.tr !== entry.transaction_id,
} as const satisfies Partial<Record<DifferenceClass, (pair: Pair) => boolean>>
const CHECKED = Object.keys(CHECKS) as (keyof typeof CHECKS)[]

function classesOf(pair: Pair): (keyof typeof CHECKS)[] {
  return CHECKED.filter((name) => CHECKS[name](pair))
}

function differencesOf({ line, entry }: Pair): Difference[] {
  return classesOf({ line, entry }).map((name) => ({
    ...aboutEntry(name, line.file, entry),
    line: line.line,
    bank: sideOf(line),
  }))
}

function sideOf({ amount_paise, status, tr }: Side): Side {
  return { amount_paise, status, tr }
}

/** What a difference has nothing to say about. */
const NOTHING = { line: null, merchant_id: null, kind: null, reference: null, ours: null, bank: null, column: null, reason: null }

function aboutEntry(name: DifferenceClass, file: string, entry: Entry): Difference {
  const { merchant_id, kind, reference, amount_paise, status, transaction_id: tr } = entry
  const ours = { amount_paise, status, tr }
  return { ...NOTHING, _id: differenceId(file, name, lineKey(entry)), file, class: name, merchant_id, kind, reference, ours }
}

export function missingAtBank(file: string, entry: Entry): Difference {
  // Several entries may share a line key: each of them is missing.
  return { ...aboutEntry('missing_at_bank', file, entry), _id: differenceId(file, 'missing_at_bank', entryKey(entry)) }
}

/** The problem of a line whose reference is a card number. */
export const CARD_NUMBER = { column: 'reference', reason: 'must not be a card number' } as const

function missingAtUs(kept: KeptLine): Difference {
  const { file, line, kind, reference } = kept
  // The line was stored because an entry had this reference. A running rebuild has removed the entry.
  if (holdsCardNumber(reference)) return unreadable(file, { line, ...CARD_NUMBER })
  const _id = differenceId(file, 'missing_at_us', lineKey(kept))
  return { ...NOTHING, _id, file, class: 'missing_at_us', line, kind, reference, bank: sideOf(kept) }
}

/** A line whose kind and reference an earlier line has. */
export function duplicate(file: string, repeated: SettlementLine): Difference {
  const { line, kind } = repeated
  const reference = holdsCardNumber(repeated.reference) ? null : repeated.reference
  const _id = differenceId(file, 'duplicate', lineNumber(line))
  return { ...NOTHING, _id, file, class: 'duplicate', line, kind, reference, bank: sideOf(repeated) }
}

export function unreadable(file: string, { line, column, reason }: UnreadableLine): Difference {
  return { ...NOTHING, _id: differenceId(file, 'unreadable', lineNumber(line)), file, class: 'unreadable', line, column, reason }
}

export function differenceId(file: string, name: DifferenceClass, key: string): string {
  return `${file}:${name}:${key}`
}

/** Padded, so that ids sort in the order of the lines. */
function lineNumber(line: number): string {
  return String(line).padStart(9, '0')
}
