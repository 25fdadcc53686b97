import fc from 'fast-check'
import { firstTransactionIdAt, newTransactionId, TR_PATTERN, TRANSACTION_ID_PATTERN, transactionTime } from './ids.ts'
import { SLOTS, slotOf } from './slot.ts'

const anyDate = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
const anySlot = fc.integer({ min: 0, max: SLOTS - 1 })
const anyGapMs = fc.integer({ min: 1, max: 1_000_000 })

// Proves: api/transaction-id-format
test('a transaction id is uppercase alphanumeric and at most 35 long, as UPI asks; it tells its time and its slot', () => {
  fc.assert(
    fc.property(anyDate, anySlot, (now, slot) => {
      const id = newTransactionId(now, slot)
      for (const pattern of [TRANSACTION_ID_PATTERN, TR_PATTERN]) expect(id).toMatch(new RegExp(pattern, 'u'))
      expect([id.length, slotOf(id), transactionTime(id)]).toEqual([28, slot, now])
    }),
  )
})

// Proves: api/transaction-id-format
test('transaction ids sort by time', () => {
  fc.assert(
    fc.property(anyDate, anyGapMs, anySlot, anySlot, (earlier, gapMs, slot, other) => {
      const later = new Date(earlier.getTime() + gapMs)
      expect(newTransactionId(earlier, slot) < newTransactionId(later, other)).toBe(true)
    }),
  )
})

test('firstTransactionIdAt lies between the ids made before an instant and those made from it on', () => {
  fc.assert(
    fc.property(anyDate, anyGapMs, anySlot, (instant, gapMs, slot) => {
      const first = firstTransactionIdAt(instant)
      expect(newTransactionId(new Date(instant.getTime() - gapMs), slot) < first).toBe(true)
      expect(newTransactionId(instant, slot) >= first).toBe(true)
    }),
  )
})

test('firstTransactionIdAt lies before every id for an instant before 1970, which no id can have', () => {
  expect(firstTransactionIdAt(new Date('1969-12-31T23:59:59.999Z'))).toBe('0'.repeat(28))
  expect(firstTransactionIdAt(new Date('0000-01-01T00:00:00Z'))).toBe('0'.repeat(28))
})

// Proves: spec/2-1-data-transaction-id-unique
test('a thousand ids of one instant differ', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  expect(new Set(Array.from({ length: 1000 }, () => newTransactionId(now, 0))).size).toBe(1000)
})

test('ids of one instant differ, and every character is equally likely', () => {
  const ids = Array.from({ length: 5000 }, () => newTransactionId(new Date('2026-01-01'), 0))
  expect(new Set(ids).size).toBe(ids.length)
  const counts = new Map<string, number>()
  for (const character of ids.flatMap((id) => Array.from(id.slice(10, 26))))
    counts.set(character, (counts.get(character) ?? 0) + 1)
  expect(counts.size).toBe(32)
  // The expected count of each of the 32 characters is 2,500; 8 standard deviations are 400.
  for (const count of counts.values()) expect(Math.abs(count - 2500)).toBeLessThan(400)
})
