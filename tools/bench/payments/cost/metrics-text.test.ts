import { parseMetrics, sumBy } from './metrics-text.ts'

const TEXT = `# HELP requests_total all of them
# TYPE requests_total counter
requests_total{route="/orders/:id",status="200",service="order-api"} 12
requests_total{route="/orders/:id",status="503",service="order-api"} 3
requests_total{route="say \\"hello\\", {you}",status="200",service="order-api"} 1
process_cpu_seconds_total 1.5e-3
`

test('names, labels and values are read; comments are not', () => {
  const samples = parseMetrics(TEXT)
  expect(samples).toHaveLength(4)
  expect(samples[2]?.labels['route']).toBe(String.raw`say \"hello\", {you}`)
  expect(samples[3]).toEqual({ name: 'process_cpu_seconds_total', labels: {}, value: 0.0015 })
})

test('one metric is summed by a label', () => {
  expect(sumBy(parseMetrics(TEXT), 'requests_total', 'status')).toEqual({ '200': 13, '503': 3 })
  expect(sumBy(parseMetrics(TEXT), 'requests_total', 'none')).toEqual({})
})
