import {
  ENTRY_KINDS,
  istDayStart,
  parseAmount,
  ValidationFailed,
  type EntryKind,
  type EntryStatus,
  type FieldError,
} from '@gateway/contracts'
import { looksLikeCard } from './card-number.ts'

/** The columns of a settlement file, in any order. */
export const SETTLEMENT_COLUMNS = [
  ...(['kind', 'reference', 'tr', 'rrn', 'amount', 'fee', 'tax', 'status'] as const),
  ...(['settled_on', 'settlement_id', 'utr'] as const),
] as const
export type SettlementColumn = (typeof SETTLEMENT_COLUMNS)[number]

/** One line of a settlement file. */
export interface SettlementLine {
  /** The line of the file, from 1; the names of the columns are line 1. */
  readonly line: number
  readonly kind: EntryKind
  readonly reference: string
  readonly rrn: string | null
  readonly amountPaise: number
  readonly feePaise: number
  readonly taxPaise: number
  readonly status: EntryStatus
  /** A day such as `2026-11-21`. */
  readonly settledOn: string
  readonly settlementId: string
  readonly utr: string | null
}

export interface UnreadableLine {
  readonly line: number
  /** `null` when the line has too many or too few columns. */
  readonly column: SettlementColumn | null
  readonly reason: string
}

/** The position of each column. Throws `ValidationFailed` for columns that are missing, unknown or named twice. */
export function readHeader(cells: readonly string[]): ReadonlyMap<SettlementColumn, number> {
  const [only = '', ...others] = cells
  if (others.length === 0 && only.includes(';'))
    throw new ValidationFailed([{ field: '/', message: 'line 1: the columns must be separated by commas, not by semicolons' }])
  const names = cells.map((cell) => cell.trim())
  const errors: FieldError[] = SETTLEMENT_COLUMNS.filter((name) => !names.includes(name)).map((name) => ({
    field: `/${name}`,
    message: 'line 1: this column is missing',
  }))
  for (const [index, name] of names.entries()) {
    if (!SETTLEMENT_COLUMNS.some((known) => known === name))
      errors.push({ field: '/', message: `line 1: column ${index + 1} is unknown` })
    else if (names.indexOf(name) < index) errors.push({ field: `/${name}`, message: 'line 1: this column is there twice' })
  }
  if (errors.length > 0) throw new ValidationFailed(errors)
  return new Map(SETTLEMENT_COLUMNS.map((name) => [name, names.indexOf(name)]))
}

const ID = /^[A-Za-z0-9._-]{1,64}$/u
/** What banks call the end of a movement. */
const STATUSES: Readonly<Record<string, EntryStatus>> = {
  ...{ succeeded: 'succeeded', success: 'succeeded', successful: 'succeeded', settled: 'succeeded', captured: 'succeeded' },
  ...{ failed: 'failed', failure: 'failed', declined: 'failed', rejected: 'failed' },
  ...{ pending: 'pending', processing: 'pending' },
}

class BadColumn extends Error {
  readonly column: SettlementColumn

  constructor(column: SettlementColumn, reason: string) {
    super(reason)
    this.column = column
  }
}

/** Reads one line. No reason repeats a value, which may be anything. */
export function readLine(
  cells: readonly string[],
  header: ReadonlyMap<SettlementColumn, number>,
  line: number,
): SettlementLine | UnreadableLine {
  if (cells.length !== SETTLEMENT_COLUMNS.length) {
    return { line, column: null, reason: `must have ${SETTLEMENT_COLUMNS.length} columns, and has ${cells.length}` }
  }
  const cell = (column: SettlementColumn): string => (cells[header.get(column) ?? -1] ?? '').trim()
  try {
    for (const column of SETTLEMENT_COLUMNS) {
      if (column !== 'reference' && looksLikeCard(cell(column))) throw new BadColumn(column, 'must not be a card number')
    }
    id('tr', cell('tr'), { optional: true })
    return {
      line,
      kind: oneOf('kind', ENTRY_KINDS, cell('kind')),
      reference: id('reference', cell('reference')) ?? '',
      rrn: id('rrn', cell('rrn'), { optional: true }),
      amountPaise: amount('amount', cell('amount')),
      feePaise: cell('fee') === '' ? 0 : amount('fee', cell('fee')),
      taxPaise: cell('tax') === '' ? 0 : amount('tax', cell('tax')),
      status: statusOf(cell('status')),
      settledOn: day(cell('settled_on')),
      settlementId: id('settlement_id', cell('settlement_id')) ?? '',
      utr: id('utr', cell('utr'), { optional: true }),
    }
  } catch (error) {
    if (error instanceof BadColumn) return { line, column: error.column, reason: error.message }
    throw error
  }
}

function id(column: SettlementColumn, text: string, { optional = false } = {}): string | null {
  if (text === '' && optional) return null
  if (!ID.test(text)) throw new BadColumn(column, 'must be 1 to 64 letters, digits, dots, underscores and hyphens')
  return text
}

function oneOf<T extends string>(column: SettlementColumn, allowed: readonly T[], text: string): T {
  const found = allowed.find((one) => one === text)
  if (found === undefined) throw new BadColumn(column, `must be one of ${allowed.join(', ')}`)
  return found
}

function amount(column: SettlementColumn, text: string): number {
  const paise = parseAmount(text)
  if (paise === undefined) throw new BadColumn(column, 'must be rupees with at most two decimals, such as 499.00')
  return paise
}

function statusOf(text: string): EntryStatus {
  const status = STATUSES[text.toLowerCase()]
  if (status === undefined) throw new BadColumn('status', 'must be succeeded, failed or pending')
  return status
}

/** No bank has settled a payment of this gateway before; the days before a day of the year 0 have no text of this form. */
const FIRST_DAY = '2000-01-01'

function day(text: string): string {
  if (!istDayStart(text) || text < FIRST_DAY) throw new BadColumn('settled_on', 'must be a day such as 2026-11-21')
  return text
}
