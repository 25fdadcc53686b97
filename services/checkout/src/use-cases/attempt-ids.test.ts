import fc from 'fast-check'
import { createAttemptIds } from './attempt-ids.ts'

const idOf = createAttemptIds(Buffer.alloc(32, 1))
const transactionId = fc.stringMatching(/^[0-9A-Z]{1,35}$/u)
const place = fc.tuple(transactionId, fc.nat(100))

test('an id stays the same for a payment and its number of attempts, and is another for any other', () => {
  fc.assert(
    fc.property(place, place, (one, other) => {
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

test('it is an id as payment-status takes it, says nothing of the payment, and needs the key', () => {
  fc.assert(
    fc.property(place, (where) => {
      expect(idOf(...where)).toMatch(/^[A-Za-z0-9_-]{8,64}$/u)
      expect(createAttemptIds(Buffer.alloc(32, 2))(...where)).not.toBe(idOf(...where))
    }),
  )
})
