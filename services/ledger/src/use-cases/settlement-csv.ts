import { parse, type CsvError, type Parser } from 'csv-parse'
import { ValidationFailed } from '@gateway/contracts'

/** One line of a file with its number. */
export interface CsvLine {
  readonly cells: readonly string[]
  /** From 1. */
  readonly line: number
}

/** A line of eleven short columns is never this long. */
const MAX_LINE_CHARACTERS = 16_384

/** Parses with bounded memory. A line with too many or too few columns passes: it is a difference, not the end of the file. */
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

/** `ValidationFailed` for the error of a parser where the text is no CSV; any other error as it is. */
export function csvProblem(error: unknown): unknown {
  if (!isCsvError(error)) return error
  const line = typeof error['lines'] === 'number' ? error['lines'] : 0
  return new ValidationFailed([{ field: '/', message: `line ${line}: the text is not CSV (${error.code})` }])
}

function isCsvError(error: unknown): error is CsvError & Readonly<Record<string, unknown>> {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('CSV_')
}
