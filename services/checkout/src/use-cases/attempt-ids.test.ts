import fc from 'fast-check'
import { createAttemptIds } from './attempt-ids.ts'

const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const idOf = (...of: [string, number]) => createAttemptIds([one])(...of)[0]
const transactionId = fc.stringMatching(/^[0-9A-Z]{1,35}$/u)
const attempt = fc.tuple(transactionId, fc.nat(100))

test('the id depends only on the payment and its number of attempts', () => {
  fc.assert(
    fc.property(attempt, attempt, (one, other) => {
      const isSame = one[0] === other[0] && one[1] === other[1]
      expect(idOf(...one)).toBe(idOf(...one))
      expect(idOf(...one) === idOf(...other)).toBe(isSame)
    }),
  )
  fc.assert(
    fc.property(transactionId, fc.nat(100), fc.nat(100), (id, one, other) => {
      expect(idOf(id, one) === idOf(id, other)).toBe(one === other)
    }),
  )
})

test('the id has the format that payment-status accepts, and differs with another key', () => {
  fc.assert(
    fc.property(attempt, (input) => {
      expect(idOf(...input)).toMatch(/^[A-Za-z0-9_-]{8,64}$/u)
      expect(createAttemptIds([two])(...input)[0]).not.toBe(idOf(...input))
    }),
  )
})

// Proves: api/checkout-link-key-rotates
test('while the key changes, the first one makes the id, and that of the other is known', () => {
  const [old, next] = [createAttemptIds([one]), createAttemptIds([two])]
  const both = createAttemptIds([two, one])
  expect(both('A1', 1)).toEqual([...next('A1', 1), ...old('A1', 1)])
})
