import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { SLOTS, slotDigits, slotOf, slotOfOrder } from './slot.ts'

const ULID = '01KAVWQZ5E8J3N7R2T4V6X9YBC'
const anyId = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/u)
const anySlot = fc.integer({ min: 0, max: SLOTS - 1 })
const anyUlid = fc.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/u)

// Proves: scale/slot-follows-from-merchant-and-order
test("an order's slot is the first ten bits of the SHA-256 of merchant and order id", () => {
  fc.assert(
    fc.property(anyId, anyId, (merchant, order) => {
      const bytes = createHash('sha256').update(`${merchant}:${order}`).digest()
      const bits = [...bytes.subarray(0, 2)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
      expect(slotOfOrder(merchant, order)).toBe(Number.parseInt(bits.slice(0, 10), 2))
    }),
  )
  // Stored documents depend on it: a change of this line loses them.
  expect(slotOfOrder('mer_1', 'ORD-1')).toBe(207)
})

// Proves: scale/id-carries-its-slot
test('whoever holds the id of a transaction, refund, event or delivery knows the slot', () => {
  fc.assert(
    fc.property(anyUlid, anySlot, (ulid, slot) => {
      const id = ulid + slotDigits(slot)
      expect(id).toHaveLength(28)
      for (const end of ['', 'R01', '.2', 'R20.3', '.rev-REF.1.1']) expect(slotOf(id + end)).toBe(slot)
    }),
  )
})

// Proves: scale/id-carries-its-slot
test.each([
  ['nothing', ''],
  ['a ULID alone', ULID],
  ['one digit too few', `${ULID}0`],
  ['one digit too many', `${ULID}000`],
  ['small letters', `${ULID}00`.toLowerCase()],
  ['a letter that is no digit', `${ULID}0U`],
  ['a time after the year 10889', `8${ULID.slice(1)}00`],
  ['another reference of 28 characters', 'ACQUIRERREFERENCE00000000000'],
  ['the longest reference', 'A'.repeat(35)],
  ['a line break', `${ULID}00\n`],
  ["a refund's id without its number", `${ULID}00R`],
  ['text before the id', `test_${ULID}00`],
])('%s has no slot', (_what, text) => {
  expect(slotOf(text)).toBeUndefined()
})

test('no text makes slotOf throw', () => {
  fc.assert(fc.property(fc.string(), (text) => expect(slotOf(text)).toBeUndefined()))
})

test('slots share orders evenly', () => {
  const counts = new Array<number>(SLOTS).fill(0)
  const orders = 100 * SLOTS
  for (let order = 0; order < orders; order++) {
    const slot = slotOfOrder('mer_1', `ORD-${order}`)
    counts[slot] = (counts[slot] ?? 0) + 1
  }
  // 100 are expected of each; seven standard deviations are 70.
  for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(70)
})
