import { createHash } from 'node:crypto'
import { formatIst, formatPaise, type MoneyEvent, type ReportEnd, type ReportState } from '@gateway/contracts'
import { directionOf, type Entry } from '../../reconciliation/index.ts'

/** Writes a report piece by piece: the head, the rows of each chunk of entries, the end. */
export interface ReportWriter {
  readonly contentType: string
  readonly head: () => string
  readonly rows: (entries: readonly Entry[]) => string
  readonly end: () => string
}

const COLUMNS = [
  ...(['at', 'kind', 'direction', 'amount', 'currency'] as const),
  ...(['order_id', 'transaction_id', 'reference', 'rrn', 'method'] as const),
] as const satisfies readonly (keyof MoneyEvent)[]

/** The last line is `#end,rows,credit,debit,sha256,as_of,complete`; the hash covers every byte before that line. */
export function csvReport({ as_of, complete }: ReportState): ReportWriter {
  const hash = createHash('sha256')
  const totals = createTotals()
  const hashed = (text: string): string => {
    hash.update(text)
    return text
  }
  return {
    contentType: 'text/csv; charset=utf-8',
    head: () => hashed(csvRow(COLUMNS)),
    rows: (entries) => {
      totals.add(entries)
      return hashed(entries.map((entry) => csvRow(cellsOf(moneyEvent(entry)))).join(''))
    },
    end: () => {
      const { rows, credit, debit } = totals.end()
      return `#end,${rows},${credit},${debit},${hash.digest('hex')},${as_of},${complete}\r\n`
    },
  }
}

/** A `DailyReport`. */
export function jsonReport(date: string, state: ReportState): ReportWriter {
  const totals = createTotals()
  let separator = ''
  return {
    contentType: 'application/json; charset=utf-8',
    head: () => `{"data":${JSON.stringify({ date, ...state }).slice(0, -1)},"events":[`,
    rows: (entries) => {
      if (entries.length === 0) return ''
      totals.add(entries)
      const text = separator + entries.map((entry) => JSON.stringify(moneyEvent(entry))).join(',\n')
      separator = ',\n'
      return text
    },
    end: () => `]},"end":${JSON.stringify({ ...totals.end(), ...state } satisfies ReportEnd)}}\n`,
  }
}

function moneyEvent(entry: Entry): MoneyEvent {
  return {
    at: `${formatIst(entry.at).replace(' ', 'T')}.${String(entry.at.getUTCMilliseconds()).padStart(3, '0')}+05:30`,
    kind: entry.kind,
    direction: directionOf(entry.kind),
    amount: formatPaise(entry.amount_paise),
    currency: 'INR',
    order_id: entry.order_id,
    transaction_id: entry.transaction_id,
    reference: entry.reference,
    rrn: entry.rrn,
    method: entry.method,
  }
}

function cellsOf(event: MoneyEvent): string[] {
  return COLUMNS.map((column) => event[column] ?? '')
}

/** Adds up paise as big integers: the sum of a large day may be above `Number.MAX_SAFE_INTEGER`. */
function createTotals() {
  const totals = { rows: 0, credit: 0n, debit: 0n }
  return {
    add(entries: readonly Entry[]): void {
      totals.rows += entries.length
      for (const { kind, amount_paise } of entries) totals[directionOf(kind)] += BigInt(amount_paise)
    },
    end(): Omit<ReportEnd, keyof ReportState> {
      return { rows: totals.rows, credit: formatPaise(totals.credit), debit: formatPaise(totals.debit) }
    },
  }
}

/** A cell that begins with one of these is a formula to a spreadsheet program. */
const FORMULA = /^[=+\-@\t\r]/u

/** One row of CSV (RFC 4180), with its line end. An apostrophe before a formula makes it text. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text
  return plain !== text || /[",\r\n]/u.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
