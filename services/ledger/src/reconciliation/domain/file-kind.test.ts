import { foreignKind } from './file-kind.ts'

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
