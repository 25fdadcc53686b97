import fc from 'fast-check'
import { firstTransactionIdAt, newTransactionId, TRANSACTION_ID_PATTERN } from './ids.ts'

const anyDate = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })

// Proves: api/transaction-id-format
test('a transaction id is uppercase alphanumeric and at most 35 long, as UPI asks', () => {
  fc.assert(
    fc.property(anyDate, (now) => {
      expect(newTransactionId(now)).toMatch(new RegExp(TRANSACTION_ID_PATTERN, 'u'))
    }),
  )
})

// Proves: api/transaction-id-format
test('transaction ids sort by time', () => {
  fc.assert(
    fc.property(anyDate, fc.integer({ min: 1, max: 1_000_000 }), (earlier, gapMs) => {
      const later = new Date(earlier.getTime() + gapMs)
      expect(newTransactionId(earlier) < newTransactionId(later)).toBe(true)
    }),
  )
})

test('firstTransactionIdAt lies between the ids made before an instant and those made from it on', () => {
  fc.assert(
    fc.property(anyDate, fc.integer({ min: 1, max: 1_000_000 }), (instant, gapMs) => {
      const first = firstTransactionIdAt(instant)
      expect(newTransactionId(new Date(instant.getTime() - gapMs)) < first).toBe(true)
      expect(newTransactionId(instant) >= first).toBe(true)
    }),
  )
})

test('firstTransactionIdAt lies before every id for an instant before 1970, which no id can have', () => {
  expect(firstTransactionIdAt(new Date('1969-12-31T23:59:59.999Z'))).toBe('0'.repeat(26))
  expect(firstTransactionIdAt(new Date('0000-01-01T00:00:00Z'))).toBe('0'.repeat(26))
})

// Proves: spec/2-1-data-transaction-id-unique
test('a thousand ids of one instant differ', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  expect(new Set(Array.from({ length: 1000 }, () => newTransactionId(now))).size).toBe(1000)
})

test('ids of one instant differ, and every character is equally likely', () => {
  const ids = Array.from({ length: 5000 }, () => newTransactionId(new Date('2026-01-01')))
  expect(new Set(ids).size).toBe(ids.length)
  const counts = new Map<string, number>()
  for (const character of ids.flatMap((id) => Array.from(id.slice(10)))) counts.set(character, (counts.get(character) ?? 0) + 1)
  expect(counts.size).toBe(32)
  // The expected count of each of the 32 characters is 2,500; 8 standard deviations are 400.
  for (const count of counts.values()) expect(Math.abs(count - 2500)).toBeLessThan(400)
})
