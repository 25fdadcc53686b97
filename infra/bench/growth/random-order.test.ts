import fc from 'fast-check'
import { inRandomOrder } from './random-order.ts'

test('each number comes once, whatever the range', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(200), (from, length) => {
      const numbers = inRandomOrder(from, from + length)
      const drawn = Array.from({ length }, () => numbers.next())
      expect(numbers.next()).toBeUndefined()
      expect(drawn.toSorted((one = 0, other = 0) => one - other)).toEqual(Array.from({ length }, (_, index) => from + index))
    }),
  )
})

test('of an empty range comes nothing', () => {
  expect(inRandomOrder(200, 10).next()).toBeUndefined()
})
