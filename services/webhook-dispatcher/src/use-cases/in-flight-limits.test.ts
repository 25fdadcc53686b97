import fc from 'fast-check'
import { createInFlightLimits } from './in-flight-limits.ts'

test('an endpoint never has more than its places, and merchants do not share them', () => {
  const takes = fc.array(fc.record({ merchantId: fc.constantFrom('a', 'b'), url: fc.constantFrom('u', 'v'), back: fc.boolean() }))
  fc.assert(
    fc.property(takes, fc.integer({ min: 1, max: 4 }), (steps, max) => {
      const limits = createInFlightLimits(max)
      const held: { key: string; giveBack: () => void }[] = []
      for (const { merchantId, url, back } of steps) {
        const key = `${merchantId}/${url}`
        if (back) {
          const giveBack = held.pop()?.giveBack
          giveBack?.()
          giveBack?.()
        }
        const before = held.filter((entry) => entry.key === key).length
        const giveBack = limits.take({ merchantId, url })
        expect(giveBack !== undefined).toBe(before < max)
        if (giveBack) held.push({ key, giveBack })
        expect(limits.total).toBe(held.length)
      }
    }),
  )
})
