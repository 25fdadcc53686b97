import { csvRow } from './daily-report.ts'

// Proves: ledger/report-cells-are-no-formulas
test('cells with separators are quoted, and a formula becomes text', () => {
  expect(csvRow(['plain', 'a,b', 'say "hi"', 'two\nlines', ''])).toBe('plain,"a,b","say ""hi""","two\nlines",\r\n')
  expect(csvRow(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r=1'])).toBe('"\'=1+1","\'+1","\'-1","\'@SUM(A1)","\'\tx","\'\r=1"\r\n')
})
