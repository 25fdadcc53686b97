import { ENTRY_KINDS, holdsCardNumber, istDayStart, parseAmount, type EntryKind, type EntryStatus } from '@gateway/contracts'
import { SETTLEMENT_COLUMNS, type SettlementColumn } from './settlement-header.ts'

/** One line of a settlement file. */
export interface SettlementLine {
  /** The line of the file, from 1; the names of the columns are line 1. */
  readonly line: number
  readonly kind: EntryKind
  readonly reference: string
  /** The transaction that the bank says it belongs to; `null` when the bank does not say. */
  readonly tr: string | null
  readonly rrn: string | null
  readonly amount_paise: number
  readonly fee_paise: number
  readonly tax_paise: number
  readonly status: EntryStatus
  /** A day such as `2026-11-21`. */
  readonly settled_on: string
  readonly settlement_id: string
  readonly utr: string | null
}

export interface UnreadableLine {
  readonly line: number
  /** `null` when the line has too many or too few columns. */
  readonly column: SettlementColumn | null
  readonly reason: string
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

export interface LineOptions {
  /** The number of the line. */
  readonly line: number
  /** The position of each column. */
  readonly header: ReadonlyMap<SettlementColumn, number>
  /** The latest day on which the bank can have settled, such as `2026-11-21`. */
  readonly latestDay: string
}

/** No bank has settled a payment of this gateway before; the days before a day of the year 0 have no text of this form. */
const FIRST_DAY = '2000-01-01'

/** Reads one line. No reason repeats a value, which may be anything. */
export function readLine(cells: readonly string[], { line, header, latestDay }: LineOptions): SettlementLine | UnreadableLine {
  if (cells.length !== SETTLEMENT_COLUMNS.length) {
    return { line, column: null, reason: `must have ${SETTLEMENT_COLUMNS.length} columns, and has ${cells.length}` }
  }
  const textOf = (column: SettlementColumn): string => (cells[header.get(column) ?? -1] ?? '').trim()
  const read = <T>(column: SettlementColumn, parse: (text: string) => T | undefined, reason: string): T => {
    const value = parse(textOf(column))
    if (value === undefined) throw new BadColumn(column, reason)
    return value
  }
  const id = (column: SettlementColumn): string =>
    read(column, (text) => ID.exec(text)?.[0], 'must be 1 to 64 letters, digits, dots, underscores and hyphens')
  const optionalId = (column: SettlementColumn): string | null => (textOf(column) === '' ? null : id(column))
  const paise = (column: SettlementColumn, whenEmpty = ''): number =>
    read(column, (text) => parseAmount(text || whenEmpty), 'must be rupees with at most two decimals, such as 499.00')
  try {
    for (const column of SETTLEMENT_COLUMNS) {
      if (column !== 'reference' && holdsCardNumber(textOf(column))) throw new BadColumn(column, 'must not be a card number')
    }
    const kinds = `must be one of ${ENTRY_KINDS.join(', ')}`
    const found: SettlementLine = {
      line,
      kind: read('kind', (text) => ENTRY_KINDS.find((kind) => kind === text), kinds),
      ...{ reference: id('reference'), tr: optionalId('tr'), rrn: optionalId('rrn') },
      ...{ amount_paise: paise('amount'), fee_paise: paise('fee', '0'), tax_paise: paise('tax', '0') },
      status: read('status', (text) => STATUSES[text.toLowerCase()], 'must be succeeded, failed or pending'),
      settled_on: read('settled_on', dayOf, 'must be a day such as 2026-11-21'),
      ...{ settlement_id: id('settlement_id'), utr: optionalId('utr') },
    }
    refuseImpossible(found, latestDay)
    return found
  } catch (error) {
    if (error instanceof BadColumn) return { line, column: error.column, reason: error.message }
    throw error
  }
}

function dayOf(text: string): string | undefined {
  return istDayStart(text) && text >= FIRST_DAY ? text : undefined
}

function refuseImpossible({ amount_paise, fee_paise, tax_paise, settled_on }: SettlementLine, latestDay: string): void {
  if (fee_paise + tax_paise > amount_paise) throw new BadColumn('fee', 'fee and tax must not be more than the amount')
  if (settled_on > latestDay) throw new BadColumn('settled_on', `must be ${latestDay} or earlier: the day after the upload`)
}
