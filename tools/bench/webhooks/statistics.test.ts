import { endpointOf, makeEvents } from './events.ts'
import { percentile, rateOf, tally } from './statistics.ts'

test('a percentile is a value that was measured, of the nearest rank', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index)
  expect([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]).toEqual([100, 198, 200])
  expect(percentile([], 0.5)).toBeNaN()
})

test('what never came is lost, what came again is a duplicate, what nobody expected hides nothing', () => {
  const arrivals = { ids: ['a', 'b', 'b', 'b', 'x'], at: [1, 2, 3, 4, 5] }
  expect(tally(['a', 'b', 'c'], arrivals)).toEqual({ lost: 1, duplicates: 2 })
})

test('a repeat neither raises the rate nor lengthens its time', () => {
  expect(rateOf({ ids: ['a', 'b', 'a', 'c', 'c'], at: [0, 500, 700, 1000, 9000] })).toBe(2)
})

test('events are spread evenly over the endpoints, and an id says which is its own', () => {
  const events = makeEvents(1000, 300, 100, new Date())
  const counts = Map.groupBy(events, ({ id }) => endpointOf(id, 100))
  expect([...counts.values()].map((each) => each.length)).toEqual(Array(100).fill(3))
  for (const { id, data } of events) expect(data.merchant_id.endsWith(String(endpointOf(id, 100)).padStart(4, '0'))).toBe(true)
})
