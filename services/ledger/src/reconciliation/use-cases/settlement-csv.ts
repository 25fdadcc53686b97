import { CsvError, parse } from 'csv-parse'
import { ValidationFailed } from '@gateway/contracts'

/** One line of a file with its number. */
export interface CsvLine {
  readonly cells: readonly string[]
  /** From 1. */
  readonly line: number
}

/** What csv-parse knows about its position. Empty lines count as lines. */
interface Position {
  readonly lines: number
  readonly empty_lines: number
}

/** More than the longest line of eleven valid columns. */
const MAX_LINE_CHARACTERS = 16_384

/** Reads one settlement file with bounded memory. */
export function createCsvReader() {
  let last: Position = { lines: 0, empty_lines: 0 }
  const parser = parse({
    ...{ bom: true, info: true, relax_column_count: true, skip_empty_lines: true },
    max_record_size: MAX_LINE_CHARACTERS,
    on_record: (record: string[], { lines, empty_lines }) => {
      last = { lines, empty_lines }
      return record
    },
  })
  return {
    /** Takes the bytes. */
    parser,
    /** The lines that the parser gives. One with too many or too few columns is among them: the import reports it as a difference. */
    async *lines(parsed: AsyncIterable<unknown>): AsyncGenerator<CsvLine> {
      for await (const one of parsed) {
        const { record, info } = one as { record: string[]; info: { lines: number } }
        yield { cells: record, line: info.lines }
      }
    },
    /** Makes csv-parse's error a `ValidationFailed` that names the line. Returns any other error unchanged. */
    problem: (error: unknown): unknown => (error instanceof CsvError ? problemOf(error, last) : error),
  }
}

const OPEN_QUOTE = 'a quotation mark is not closed'

/** Reasons in our own words: csv-parse's messages quote the value, which may be a card number. */
const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: OPEN_QUOTE,
  CSV_MAX_RECORD_SIZE: `a line has more than ${MAX_LINE_CHARACTERS} characters`,
  CSV_INVALID_CLOSING_QUOTE: 'more text follows a closing quotation mark',
  INVALID_OPENING_QUOTE: 'a quotation mark stands within a value, or has a space before it',
}

/** @param last the end of the last line that could be read */
function problemOf(error: CsvError & Partial<Position>, last: Position): ValidationFailed {
  const { lines = last.lines + 1, empty_lines = last.empty_lines } = error
  const begin = last.lines + 1 + empty_lines - last.empty_lines
  // A record over several lines means an unclosed quotation mark: name the line where it opens.
  const [line, reason] = lines > begin ? [begin, OPEN_QUOTE] : [lines, REASONS[error.code]]
  const why = reason === undefined ? error.code : `${reason} (${error.code})`
  return new ValidationFailed([{ field: '/', message: `line ${line}: the text is not CSV: ${why}` }])
}
