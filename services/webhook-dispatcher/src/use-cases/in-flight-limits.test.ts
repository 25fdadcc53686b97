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

const takeAll = (limits: ReturnType<typeof createInFlightLimits>, endpoint: { merchantId: string; url: string }) => {
  const places: (() => void)[] = []
  for (let place = limits.take(endpoint); place; place = limits.take(endpoint)) places.push(place)
  return places
}

test('an endpoint that hung three times in a row has fewer places, until an exchange ends in time', () => {
  const limits = createInFlightLimits(20)
  const [hangs, other] = [
    { merchantId: 'a', url: 'u' },
    { merchantId: 'b', url: 'u' },
  ]
  const placesOf = (endpoint: typeof hangs) => {
    const places = takeAll(limits, endpoint)
    for (const giveBack of places) giveBack()
    return places.length
  }
  limits.note(hangs, true)
  limits.note(hangs, true)
  expect(placesOf(hangs)).toBe(20)
  limits.note(hangs, true)
  expect([placesOf(hangs), placesOf(other)]).toEqual([4, 20])
  limits.note(hangs, false)
  expect(placesOf(hangs)).toBe(20)
})

test('many URLs of one merchant do not take the places of the others', () => {
  const limits = createInFlightLimits(20)
  const held = Array.from({ length: 30 }, (_, index) => takeAll(limits, { merchantId: 'a', url: `u${index}` }))
  expect(held.flat()).toHaveLength(40)
  expect(takeAll(limits, { merchantId: 'b', url: 'u1' })).toHaveLength(20)
})
