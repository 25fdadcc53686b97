import { ValidationFailed } from '@gateway/contracts'
import { importFailureReason } from './importer.ts'

test('the reason is in words, and an unknown error shows only its name', () => {
  const invalid = new ValidationFailed([{ field: '/amount', message: 'line 1: this column is missing' }])
  const database = Object.assign(new Error('refused'), { name: 'MongoServerError', code: 50 })
  expect(importFailureReason(invalid)).toBe('line 1: this column is missing')
  expect(importFailureReason(database)).toBe('the database did not answer, or refused a write')
  expect(importFailureReason(new RangeError('4111111111111111'))).toBe(
    'an error in the ledger (RangeError); its log has the details',
  )
  expect(importFailureReason('4111111111111111')).toBe('an error in the ledger (string); its log has the details')
})
