/** Code, pages, rules and dashboard name the same metrics, and every alert says what to do. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

interface Metric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
}

const SOURCES = globSync('{services,packages}/*/src/**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'))
/** A metric that names itself where it is made: its type, name, and the rest of its options. */
const MADE = /new (Counter|Gauge|Histogram)(?:<[^>]*>)?\(\{\s*(?:\.{3}\{ )?name: '(\w+)',([^]*?)registers/gu
/** Calls of the helpers below: a gauge without labels, and a counter with one label. */
const GAUGES = /\bgauge(?:Of)?\(\s*(?:\w+, \{\s*name: )?'(\w+)'/gu
const COUNTERS = /\bcounter\(\s*'(\w+)',\s*'(\w+)'/gu
/** Where a helper makes metrics that its callers name. */
const HELPERS = [
  'packages/service-kit/src/metrics/metrics.ts',
  'services/ledger/src/reconciliation/metrics.ts',
  'services/payment-status/src/observing/metrics.ts',
  'services/webhook-dispatcher/src/wiring/metrics.ts',
]

/** Every metric that the code makes. */
const METRICS: readonly Metric[] = SOURCES.flatMap((path) => {
  const text = read(path)
  const made = [...text.matchAll(MADE)].map(([, type = '', name = '', rest = '']) => ({
    name,
    type: type.toLowerCase(),
    labels: namesIn(/labelNames: \[(.*?)\]/u.exec(rest)?.[1] ?? '', /'(\w+)'/gu),
  }))
  const gauges = [...text.matchAll(GAUGES)].map(([, name = '']) => ({ name, type: 'gauge', labels: [] }))
  const counters = [...text.matchAll(COUNTERS)].map(([, name = '', label = '']) => ({ name, type: 'counter', labels: [label] }))
  return [...made, ...gauges, ...counters]
})

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name).toSorted()
}

/** What stands for a metric in a query. */
const SERIES = new Set(
  METRICS.flatMap(({ name, type }) => (type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name])),
)
/** Of prom-client and of Prometheus itself. */
const OTHERS = new Set(['up', 'process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])

/** The names of series in a query: words that are no function, label or text. */
function seriesIn(query: string): string[] {
  const bare = query
    .replaceAll(/"[^"]*"/gu, '')
    .replaceAll(/\{[^}]*\}/gu, '')
    .replaceAll(/\bby \([^)]*\)/gu, '')
  return namesIn(bare, /\b([a-z]\w*)\b(?!\s*\()/gu).filter((word) => !['by', 'or', 'and', 'm', 'h'].includes(word))
}

const RULES = read('infra/observability/prometheus/alerts.yml')
const DASHBOARD: unknown = JSON.parse(read('infra/observability/grafana/dashboards/payment-gateway.json'))

test('no metric is made in a way that this test does not see', () => {
  const unnamed = SOURCES.filter((path) => {
    const text = read(path)
    return [...text.matchAll(/new (?:Counter|Gauge|Histogram)\b/gu)].length > [...text.matchAll(MADE)].length
  })
  expect(unnamed.toSorted()).toEqual(HELPERS)
  expect(new Set(METRICS.map(({ name }) => name)).size).toBe(METRICS.length)
})

// Proves: operate/metrics-are-documented
test('the page has every metric with its type and labels, and no other', () => {
  const rows = [...read('docs/operations/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \|/gmu)]
  const documented = rows.map(([, name = '', type = '', labels = '']) => ({ name, type, labels: namesIn(labels, /`(\w+)`/gu) }))
  const byName = (one: Metric, other: Metric): number => one.name.localeCompare(other.name)
  expect(documented.toSorted(byName)).toEqual(METRICS.toSorted(byName))
})

// Proves: operate/metrics-are-documented
test('rules and dashboard ask for series that there are, and for nearly all of them', () => {
  const rules = [...RULES.matchAll(/^ +expr: '(.*)'$/gmu)].map(([, query = '']) => query)
  expect(rules).toHaveLength(RULES.split('- alert: ').length - 1)
  const panels = [...JSON.stringify(DASHBOARD).matchAll(/"expr":("(?:[^"\\]|\\.)*")/gu)].map(([, text = '""']) =>
    String(JSON.parse(text)),
  )
  const asked = [...rules, ...panels].flatMap(seriesIn)
  expect(asked.filter((name) => !SERIES.has(name) && !OTHERS.has(name))).toEqual([])
  const unused = METRICS.filter(({ name }) => !asked.some((series) => series.startsWith(name)))
  expect(unused).toEqual([])
})

// Proves: operate/metrics-are-documented
test('every alert has a severity, a heading in the runbook that its link leads to, and what to do first', () => {
  const page = read('docs/operations/alerts.md')
  const headings = [...page.matchAll(/^## (\w+)$/gmu)].map(([, name]) => name)
  const alerts = RULES.split('- alert: ').slice(1)
  expect(alerts.map((text) => /^\w+/u.exec(text)?.[0])).toEqual(headings)
  for (const text of alerts) {
    const [name = ''] = /^\w+/u.exec(text) ?? []
    expect(text).toContain(`runbook: docs/operations/alerts.md#${name.toLowerCase()}\n`)
    const [, severity = 'none'] = /severity: (critical|warning)\n/u.exec(text) ?? []
    expect(page).toMatch(new RegExp(`## ${name}\\n\\n\\*${severity}\\.\\* .+\\n\\n\\*\\*First:\\*\\* .+\\n`, 'u'))
  }
})
