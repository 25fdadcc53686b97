import { parse, type CsvError, type Parser } from 'csv-parse'
import { ValidationFailed } from '@gateway/contracts'

/** One line of a file with its number. */
export interface CsvLine {
  readonly cells: readonly string[]
  /** From 1. */
  readonly line: number
}

/** More than the longest line of eleven valid columns. */
const MAX_LINE_CHARACTERS = 16_384

/** Parses with bounded memory. A line with too many or too few columns does not stop it: the import reports that line as a difference. */
export function settlementParser(): Parser {
  return parse({
    ...{ bom: true, info: true, relax_column_count: true, skip_empty_lines: true },
    max_record_size: MAX_LINE_CHARACTERS,
  })
}

/** The lines that a parser gives. */
export async function* csvLines(parser: AsyncIterable<unknown>): AsyncGenerator<CsvLine> {
  for await (const parsed of parser) {
    const { record, info } = parsed as { record: string[]; info: { lines: number } }
    yield { cells: record, line: info.lines }
  }
}

/** The errors of csv-parse that operators are likely to see, in words. */
const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
  CSV_MAX_RECORD_SIZE: `a line has more than ${MAX_LINE_CHARACTERS} characters`,
}

/** Makes csv-parse's error a `ValidationFailed` that names the line. Returns any other error unchanged. */
export function csvProblem(error: unknown): unknown {
  if (!isCsvError(error)) return error
  const line = typeof error['lines'] === 'number' ? error['lines'] : 0
  const reason = REASONS[error.code]
  const why = reason === undefined ? error.code : `${reason} (${error.code})`
  return new ValidationFailed([{ field: '/', message: `line ${line}: the text is not CSV: ${why}` }])
}

function isCsvError(error: unknown): error is CsvError & Readonly<Record<string, unknown>> {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('CSV_')
}
