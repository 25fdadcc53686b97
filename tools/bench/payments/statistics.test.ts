import { mean, percentile, summarize } from './statistics.ts'

test('percentiles are by nearest rank, whatever the order of the values', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(summarize(values)).toEqual({ count: 100, p50: 50, p99: 99, max: 100 })
  expect(percentile([7], 0.99)).toBe(7)
})

test('nothing measured is no figure', () => {
  expect(summarize([]).p50).toBeNaN()
  expect(mean([])).toBeNaN()
  expect(mean([1, 2, 6])).toBe(3)
})
