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

/** Reads one line. No reason repeats a value, which may be anything. */
export function readLine(cells: readonly string[], { line, header, latestDay }: LineOptions): SettlementLine | UnreadableLine {
  if (cells.length !== SETTLEMENT_COLUMNS.length) {
    return { line, column: null, reason: `must have ${SETTLEMENT_COLUMNS.length} columns, and has ${cells.length}` }
  }
  const cell = (column: SettlementColumn): string => (cells[header.get(column) ?? -1] ?? '').trim()
  try {
    for (const column of SETTLEMENT_COLUMNS) {
      if (column !== 'reference' && holdsCardNumber(cell(column))) throw new BadColumn(column, 'must not be a card number')
    }
    return {
      line,
      kind: oneOf('kind', ENTRY_KINDS, cell('kind')),
      reference: id('reference', cell('reference')) ?? '',
      tr: id('tr', cell('tr'), { optional: true }),
      rrn: id('rrn', cell('rrn'), { optional: true }),
      ...amountsOf(cell),
      status: statusOf(cell('status')),
      settled_on: day(cell('settled_on'), latestDay),
      settlement_id: id('settlement_id', cell('settlement_id')) ?? '',
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

function amountsOf(cell: (column: SettlementColumn) => string): Pick<SettlementLine, 'amount_paise' | 'fee_paise' | 'tax_paise'> {
  const amount_paise = amount('amount', cell('amount'))
  const [fee_paise, tax_paise] = [amount('fee', cell('fee') || '0'), amount('tax', cell('tax') || '0')]
  if (fee_paise + tax_paise > amount_paise) throw new BadColumn('fee', 'fee and tax must not be more than the amount')
  return { amount_paise, fee_paise, tax_paise }
}

function statusOf(text: string): EntryStatus {
  const status = STATUSES[text.toLowerCase()]
  if (status === undefined) throw new BadColumn('status', 'must be succeeded, failed or pending')
  return status
}

/** No bank has settled a payment of this gateway before; the days before a day of the year 0 have no text of this form. */
const FIRST_DAY = '2000-01-01'

function day(text: string, latest: string): string {
  if (!istDayStart(text) || text < FIRST_DAY) throw new BadColumn('settled_on', 'must be a day such as 2026-11-21')
  if (text > latest) throw new BadColumn('settled_on', `must be ${latest} or earlier: the day after the upload`)
  return text
}
