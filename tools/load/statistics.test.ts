import { arrivalsPerSecond, firstArrivals, mean, median, summarize, tally, type Arrival } from './statistics.ts'

test('percentiles are by nearest rank, in any order of the values', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index)
  expect(summarize(values)).toEqual({ count: 200, p50: 100, p99: 198, max: 200 })
  expect(summarize([7]).p99).toBe(7)
  expect(median([3, 1, 2])).toBe(2)
})

test('nothing measured has no figure', () => {
  expect(summarize([]).p50).toBeNaN()
  expect(mean([])).toBeNaN()
  expect(mean([1, 2, 6])).toBe(3)
})

test('an event that never arrived is lost, a second arrival is a duplicate, an unexpected event hides neither', () => {
  const arrivals: Arrival[] = ['a', 'b', 'b', 'b', 'x'].map((id, index) => [id, index])
  expect(tally(['a', 'b', 'c'], arrivals)).toEqual({ lost: 1, duplicates: 2 })
  expect(firstArrivals(arrivals).get('b')).toBe(1)
})

test('a duplicate neither raises the rate nor lengthens its time', () => {
  const times = [0, 500, 700, 1000, 9000]
  const arrivals = ['a', 'b', 'a', 'c', 'c'].map((id, index): Arrival => [id, times[index] ?? NaN])
  expect(arrivalsPerSecond(arrivals)).toBe(2)
})
