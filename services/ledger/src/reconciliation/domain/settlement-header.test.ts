import { ValidationFailed } from '@gateway/contracts'
import { foreignKind, readHeader, SETTLEMENT_COLUMNS } from './settlement-header.ts'

const toLines = (texts: readonly string[]) => texts.map((text, index) => ({ cells: text.split(','), line: index + 1 }))
const errorsOf = (...texts: readonly string[]) => {
  const [first = { cells: [], line: 1 }, ...below] = toLines(texts)
  try {
    readHeader(first, below)
  } catch (error) {
    return error instanceof ValidationFailed ? error.errors : error
  }
  return []
}
const NAMES = SETTLEMENT_COLUMNS.join(',')
const DATA = 'capture,P1,T1,,499.00,1.00,0.18,succeeded,2026-11-04,SET-1,'

// Proves: ledger/likely-cause-first
test.each([
  ['capital letters', NAMES.toUpperCase()],
  ['spaces in place of underscores', 'Kind,Reference,TR,RRN,Amount,Fee,Tax,Status,Settled On, Settlement-ID ,UTR'],
])('names of columns with %s are read', (_what, names) => {
  expect(errorsOf(names, DATA)).toEqual([])
})

// Proves: ledger/likely-cause-first
test.each<[string, string[], RegExp]>([
  ['semicolons', [NAMES, DATA].map((text) => text.replaceAll(',', ';')), /^line 1: .*separated by commas, not by semicolons$/u],
  ['tabs', [NAMES, DATA].map((text) => text.replaceAll(',', '\t')), /^line 1: .*not by tabs$/u],
  ['vertical bars', [NAMES.toUpperCase().replaceAll(',', '|')], /^line 1: .*not by vertical bars$/u],
  ['a title', ['Settlement report,,,', 'for 4 November,,', NAMES, DATA], /^line 1: .*are in line 3: remove the lines above it$/u],
  ['a title with a name of a column', ['Reference 4111111111111111,kind', NAMES], /are in line 2: remove/u],
  ['a title and tabs', ['Settlement report', NAMES.replaceAll(',', '\t')], /^line 2: .*not by tabs$/u],
  ['a hint for a spreadsheet program', ['sep=;', NAMES.replaceAll(',', ';')], /^line 2: .*not by semicolons$/u],
  ['no names', [DATA], /^line 1: the line above it is missing, with .*kind,reference,tr/u],
  ['other text', ['Dear customer', 'your settlement'], /^line 1 must have .*kind,reference,tr/u],
])('%s: the likely cause is the only message, and repeats no value', (_what, lines, cause) => {
  expect(errorsOf(...lines)).toEqual([{ field: '/', message: expect.stringMatching(cause) as string }])
  expect(JSON.stringify(errorsOf(...lines))).not.toMatch(/4111|report|customer/u)
})

// Proves: ledger/likely-cause-first
test('columns that are missing, unknown or there twice are named', () => {
  const missing = { field: '/kind', message: 'line 1: this column is missing' }
  expect(errorsOf(SETTLEMENT_COLUMNS.slice(1).join(','))).toEqual([missing])
  expect(errorsOf(`${NAMES},kind`)).toEqual([{ field: '/kind', message: 'line 1: this column is there twice' }])
  expect(errorsOf(`${NAMES},what`)).toEqual([{ field: '/', message: 'line 1: column 12 is unknown' }])
  expect(errorsOf(NAMES.replace('kind', 'type').concat(',more'))).toEqual([
    {
      field: '/',
      message: expect.stringMatching(/^line 1: columns 1, 12 are unknown; the first line must have .*kind,/u) as string,
    },
    missing,
  ])
})

// Proves: ledger/likely-cause-first
test.each<[Buffer, RegExp | undefined]>([
  [Buffer.from('PK\x03\x04\x14\0\x06\0'), /Excel workbook \(\.xlsx\)/u],
  [Buffer.from('d0cf11e0a1b11ae1', 'hex'), /old Excel workbook \(\.xls\)/u],
  [Buffer.from('%PDF-1.7\n'), /PDF/u],
  [Buffer.from('1f8b0800', 'hex'), /gzip/u],
  [Buffer.from('\ufeffkind,reference', 'utf16le'), /UTF-16/u],
  [Buffer.from('\ufeffkind,reference', 'utf16le').swap16(), /UTF-16/u],
  [Buffer.from('kind,reference', 'utf16le'), /UTF-16/u],
  [Buffer.from('\ufeff \r\n<!DOCTYPE html>'), /HTML/u],
  [Buffer.from('<table><tr><td>kind'), /HTML/u],
  [Buffer.from('[{"kind":"capture"}]'), /JSON/u],
  [Buffer.from('\ufeffkind,reference'), undefined],
  [Buffer.from('"kind","reference"'), undefined],
  [Buffer.from(''), undefined],
])('%j', (start, kind) => {
  if (kind) expect(foreignKind(start)).toMatch(kind)
  else expect(foreignKind(start)).toBeUndefined()
})
