import fc from 'fast-check'
import { inRandomOrder } from './random-order.ts'

test('each number comes once, and then again in the same order when it has rested', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.integer({ min: 1, max: 200 }), (from, length) => {
      let now = 0
      const numbers = inRandomOrder(from, from + length, { restMs: 100, nowMs: () => now })
      const draw = () => Array.from({ length }, () => numbers.next())
      const drawn = draw()
      now = 99
      expect(numbers.next()).toBeUndefined()
      expect(drawn.toSorted((one = 0, other = 0) => one - other)).toEqual(Array.from({ length }, (_, index) => from + index))
      now = 100
      expect(draw()).toEqual(drawn)
      expect(numbers.next()).toBeUndefined()
    }),
  )
})

test('of an empty range comes nothing', () => {
  const numbers = inRandomOrder(200, 10, { restMs: 0, nowMs: () => 0 })
  expect(numbers.next()).toBeUndefined()
})
