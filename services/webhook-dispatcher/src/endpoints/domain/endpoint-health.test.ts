import fc from 'fast-check'
import type { AttemptResult } from '../../sending/index.ts'
import { disabledOf, enabled, healthAfter, type UrlHealth } from './endpoint-health.ts'

const HOUR_MS = 3_600_000
const disableAfterMs = 120 * HOUR_MS
const at = (hours: number) => new Date(Date.UTC(2026, 0, 1) + hours * HOUR_MS)
const result = (statusCode: number | null): AttemptResult => ({
  at: at(0),
  duration_ms: 1,
  status_code: statusCode,
  error: statusCode === null ? 'timeout' : null,
  address: null,
  response_excerpt: null,
})

/** The health of `u` after these results, and how many writes they took. */
function after(results: readonly (readonly [number, number | null])[]) {
  let health: readonly UrlHealth[] = []
  let writes = 0
  for (const [hours, statusCode] of results) {
    const decision = healthAfter(health, { url: 'u', result: result(statusCode), disableAfterMs }, at(hours))
    if (!decision.changed) continue
    writes += 1
    health = decision.health
  }
  return { health, writes, disabled: disabledOf(health, 'u') }
}
const every = (hours: number, until: number, statusCode: number | null) =>
  Array.from({ length: Math.floor(until / hours) + 1 }, (_, index) => [index * hours, statusCode] as const)

test('an endpoint that works costs no write', () => {
  expect(after(every(1, 200, 200)).writes).toBe(0)
})

test('an endpoint that fails and recovers within the hour costs two writes', () => {
  expect(after([[0, 500], [0.1, 500], [0.2, null], [0.3, 200], [0.4, 200]])).toMatchObject({ writes: 2, health: [] }) // prettier-ignore
})

test('without an acknowledgement for five days it is disabled, not before', () => {
  expect(after(every(6, 114, 500)).disabled).toBeUndefined()
  expect(after(every(6, 120, 500)).disabled).toEqual({ at: at(120), reason: 'failing' })
})

test('any other answer than 200 is a failure here: a 404 for five days disables too', () => {
  expect(after(every(6, 120, 404)).disabled).toMatchObject({ reason: 'failing' })
})

test('one acknowledgement begins the five days again', () => {
  expect(after([...every(6, 114, 500), [115, 200], [116, 500], [122, 500]]).disabled).toBeUndefined()
})

test('failures with long silences between them are no sustained failure', () => {
  expect(after(every(31, 3100, 500)).disabled).toBeUndefined()
})

test('410 disables at once, and results of requests in flight do not change that', () => {
  expect(after([[0, 410]]).disabled).toEqual({ at: at(0), reason: 'gone' })
  expect(after([[0, 410], [1, 200], [2, 500]])).toMatchObject({ writes: 1, disabled: { reason: 'gone' } }) // prettier-ignore
})

test('each URL has its own health, and enabling one leaves the others', () => {
  const { health } = after([[0, 410]])
  const decision = healthAfter(health, { url: 'v', result: result(410), disableAfterMs }, at(1))
  const both = decision.changed ? decision.health : []
  expect([disabledOf(both, 'u'), disabledOf(both, 'v'), disabledOf(both, 'w')]).toEqual([
    { at: at(0), reason: 'gone' },
    { at: at(1), reason: 'gone' },
    undefined,
  ])
  expect([disabledOf(enabled(both, 'u'), 'u'), disabledOf(enabled(both, 'u'), 'v')]).toEqual([
    undefined,
    { at: at(1), reason: 'gone' },
  ])
})

// Proves: webhooks/failing-endpoint-is-disabled
test('for any results, `failing` means at least five days without an acknowledgement and without a silence of 30 hours', () => {
  const step = fc.tuple(fc.integer({ min: 1, max: 40 * 60 }), fc.constantFrom(200, 404, 500, null))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      let minutes = 0
      const results = steps.map(([gap, statusCode]) => [(minutes += gap), statusCode] as const)
      const { disabled } = after(results.map(([minute, statusCode]) => [minute / 60, statusCode]))
      let failures: number[] = []
      let earliest = Infinity
      for (const [minute, statusCode] of results) {
        if (statusCode === 200 || minute - (failures.at(-1) ?? minute) > 30 * 60) failures = []
        if (statusCode !== 200) failures.push(minute)
        if (minute - (failures[0] ?? minute) >= 120 * 60) earliest = Math.min(earliest, minute)
      }
      if (disabled) expect(disabled.at.getTime()).toBeGreaterThanOrEqual(at(earliest / 60).getTime())
    }),
  )
})
