import { createReportSlots } from './report-slots.ts'

// Proves: ledger/reports-are-limited
test('a merchant has two reports at once, a replica sixteen; a released slot is free again', () => {
  const acquire = createReportSlots()
  const release = acquire('M0')
  acquire('M0')
  expect(() => acquire('M0')).toThrow(expect.objectContaining({ code: 'too_many_reports' }) as Error)
  release()
  acquire('M0')
  for (let number = 0; number < 14; number++) acquire(`M${1 + (number % 7)}`)
  expect(() => acquire('M8')).toThrow('Too many reports')
})
