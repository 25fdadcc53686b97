import { ENTRY_KINDS, ValidationFailed, type FieldError } from '@gateway/contracts'

/** The columns of a settlement file, in any order. */
export const SETTLEMENT_COLUMNS = [
  ...(['kind', 'reference', 'tr', 'rrn', 'amount', 'fee', 'tax', 'status'] as const),
  ...(['settled_on', 'settlement_id', 'utr'] as const),
] as const
export type SettlementColumn = (typeof SETTLEMENT_COLUMNS)[number]

/** How many first lines of a file are searched for a misplaced header. */
export const HEADER_LINES = 20

/** What other programs put between the values. */
const SEPARATORS = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' } as const
const REQUIRED = `the names of the columns, separated by commas: ${SETTLEMENT_COLUMNS.join(',')}`

interface Line {
  readonly cells: readonly string[]
  readonly line: number
}

/**
 * The position of each column. Capital letters, and spaces in place of underscores, do not matter. Throws `ValidationFailed` for
 * columns that are missing, unknown or named twice; its first error is the likely cause.
 *
 * @param below the lines below the first one, which may hold the names if the file begins with a title
 */
export function readHeader({ cells, line }: Line, below: readonly Line[] = []): ReadonlyMap<SettlementColumn, number> {
  const names = cells.map(nameOf)
  const errors = isHeader(cells) ? errorsOf(names, line) : [{ field: '/', message: causeOf({ cells, line }, below) }]
  if (errors.length > 0) throw new ValidationFailed(errors)
  return new Map(SETTLEMENT_COLUMNS.map((name) => [name, names.indexOf(name)]))
}

function nameOf(cell: string): string {
  return cell
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/gu, '_')
}

function isColumn(name: string): name is SettlementColumn {
  return SETTLEMENT_COLUMNS.some((known) => known === name)
}

/** Two names of columns make a header: a single one may be a word of a title. */
function isHeader(cells: readonly string[]): boolean {
  return cells.map(nameOf).filter(isColumn).length > 1
}

function errorsOf(names: readonly string[], line: number): FieldError[] {
  const missing = SETTLEMENT_COLUMNS.filter((name) => !names.includes(name))
  const unknown = names.flatMap((name, index) => (isColumn(name) ? [] : [index + 1]))
  const repeated = names.filter((name, index) => isColumn(name) && names.indexOf(name) < index)
  const needs = missing.length === 0 ? '' : `; the first line must have ${REQUIRED}`
  return [
    ...(unknown.length === 0 ? [] : [{ field: '/', message: `line ${line}: ${unknownColumns(unknown)}${needs}` }]),
    ...missing.map((name) => ({ field: `/${name}`, message: `line ${line}: this column is missing` })),
    ...repeated.map((name) => ({ field: `/${name}`, message: `line ${line}: this column is there twice` })),
  ]
}

function unknownColumns([only, ...more]: readonly number[]): string {
  return more.length === 0 ? `column ${only} is unknown` : `columns ${[only, ...more].join(', ')} are unknown`
}

/** The likely reason why the first line has no column names. Never repeats a value, which may be personal data. */
function causeOf(first: Line, below: readonly Line[]): string {
  const names = below.find(({ cells }) => isHeader(cells))
  if (names) return `line ${first.line}: the names of the columns are in line ${names.line}: remove the lines above it`
  for (const { cells, line } of [first, ...below])
    for (const [separator, name] of Object.entries(SEPARATORS))
      if (isHeader(cells.join(',').split(separator)))
        return `line ${line}: the columns must be separated by commas, not by ${name}`
  const isData = first.cells.some((cell) => ENTRY_KINDS.some((kind) => kind === nameOf(cell)))
  return isData
    ? `line ${first.line}: the line above it is missing, with ${REQUIRED}`
    : `line ${first.line} must have ${REQUIRED}`
}

/** As many bytes as `foreignKind` looks at. */
export const START_BYTES = 512

/** The first bytes of what people export by mistake in place of CSV. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['504b0304', 'an Excel workbook (.xlsx) or another ZIP archive'],
  ['d0cf11e0', 'an old Excel workbook (.xls)'],
  ['25504446', 'a PDF'],
  ['1f8b', 'compressed with gzip'],
  ['fffe', 'text in UTF-16'],
  ['feff', 'text in UTF-16'],
]

/** What a file is that cannot be CSV in UTF-8, by its first bytes; `undefined` for what may be CSV. */
export function foreignKind(start: Buffer): string | undefined {
  const hex = start.toString('hex')
  const [, kind] = SIGNATURES.find(([signature]) => hex.startsWith(signature)) ?? []
  if (kind !== undefined) return kind
  if (start.includes(0)) return 'text in UTF-16, or no text at all'
  const [first] = start.toString('utf8').trim()
  if (first === '<') return 'HTML or XML'
  return first === '{' || first === '[' ? 'JSON' : undefined
}
