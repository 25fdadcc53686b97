import { readReportEnd } from './show.ts'

const AT = '2026-11-21T06:30:00.000Z'

// Proves: ledger/report-says-how-complete
test.each([
  [`at,kind\r\n#end,0,0.00,0.00,${'a'.repeat(64)},${AT},false\r\n`, { asOf: AT, isComplete: false }],
  [`#end,1,5.00,0.00,${'a'.repeat(64)},${AT},true\r\n`, { asOf: AT, isComplete: true }],
  [
    `"events":[]},"end":{"rows":0,"credit":"0.00","debit":"0.00","as_of":"${AT}","complete":true}}\n`,
    { asOf: AT, isComplete: true },
  ],
  [`at,kind\r\n2026-11-21,capture,#end,${AT},true`, undefined],
  ['{"data":{"events":[', undefined],
  ['', undefined],
])('%j', (text, end) => expect(readReportEnd(text)).toEqual(end))
