import fc from 'fast-check'
import {
  changeWaitMs,
  liveSecrets,
  MAX_REGISTRATIONS,
  register,
  REGISTRATION_MEMORY_MS,
  registrationAt,
  ROTATION_INTERVAL_MS,
  ROTATION_OVERLAP_MS,
  rotateSecrets,
  TAKES_EFFECT_AFTER_MS,
  undoRegistrations,
  URL_CHANGES,
  type Endpoint,
} from './endpoint.ts'
import { endpointIdIn } from './endpoint-id.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const at = (ms: number) => new Date(start + ms)
const endpoint = (fields: Partial<Endpoint> = {}): Endpoint => ({
  id: endpointIdIn('m'),
  registrations: [],
  secrets: [{ sealed: 's1', until: null }],
  health: [],
  ...fields,
})

/** `undefined` when there were too many changes. */
function afterRegistering(before: Endpoint, url: string, now: Date) {
  const decision = register(before, url, now)
  return decision.kind === 'changed' ? decision.registrations : undefined
}
const waitMsOf = (before: Endpoint, now: Date): number => {
  const decision = register(before, 'new', now)
  return decision.kind === 'too_often' ? decision.waitMs : 0
}

// Proves: api/endpoint-effective-dating
test('the current URL at an instant is the latest one that had taken effect', () => {
  const registered = endpoint({
    registrations: [
      { url: 'a', since: at(0) },
      { url: 'b', since: at(1000) },
    ],
  })
  expect([-1, 0, 999, 1000, 5000].map((ms) => registrationAt(registered, at(ms))?.url)).toEqual([undefined, 'a', 'a', 'b', 'b'])
  expect(registrationAt(undefined, at(0))).toBeUndefined()
})

// Proves: api/endpoint-since-is-ahead
test('even with clocks that differ, registrations take effect in the order in which they were saved', () => {
  const clocks = fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(clocks, (skews) => {
      let registered = endpoint()
      skews.forEach((skew, index) => {
        const registrations = afterRegistering(registered, `u${index}`, at(skew)) ?? []
        expect(registrations.at(-1)?.since.getTime()).toBeGreaterThanOrEqual(start + skew + TAKES_EFFECT_AFTER_MS)
        registered = endpoint({ registrations })
      })
      const sinces = registered.registrations.map(({ since }) => since.getTime())
      expect(sinces).toEqual([...new Set(sinces)].sort((a, b) => a - b))
      expect(registered.registrations.map(({ url }) => url)).toEqual(skews.map((_skew, index) => `u${index}`))
    }),
  )
})

test('the same URL again changes nothing, unless it is disabled', () => {
  const registrations = [{ url: 'a', since: at(0) }]
  const [registration] = registrations
  expect(register(endpoint({ registrations }), 'a', at(10_000))).toEqual({ kind: 'unchanged', registration })
  const health = [{ url: 'a', failing_since: at(0), last_failure_at: at(0), disabled: { at: at(0), reason: 'gone' as const } }]
  const enabled = { kind: 'changed', registration, registrations, health: [] }
  expect(register(endpoint({ registrations, health }), 'a', at(10_000))).toEqual(enabled)
})

test('a URL replaced long ago is forgotten, and too many changes are refused', () => {
  const many = Array.from({ length: MAX_REGISTRATIONS }, (_, index) => ({ url: `u${index}`, since: at(index) }))
  expect(afterRegistering(endpoint({ registrations: many }), 'new', at(10_000))).toBeUndefined()
  const later = afterRegistering(endpoint({ registrations: many }), 'new', at(REGISTRATION_MEMORY_MS + 10_000))
  expect(later?.map(({ url }) => url)).toEqual([`u${MAX_REGISTRATIONS - 1}`, 'new'])
})

// Proves: webhooks/endpoint-change-rate
test('a flood of changes waits for hours, not for the memory of registrations, which it can never fill', () => {
  let current = endpoint()
  let changes = 0
  for (let ms = 0; ms < REGISTRATION_MEMORY_MS; ms += 120 * 60_000) {
    const registrations = afterRegistering(current, `u${ms}`, at(ms))
    expect(waitMsOf(current, at(ms)) === 0).toBe(registrations !== undefined)
    if (!registrations) continue
    changes += 1
    current = endpoint({ registrations })
  }
  expect(changes).toBeGreaterThan(800)
  expect(current.registrations.length).toBeLessThan(MAX_REGISTRATIONS)
  expect(waitMsOf(current, at(REGISTRATION_MEMORY_MS))).toBeLessThanOrEqual(URL_CHANGES.intervalMs)
})

// Proves: webhooks/operator-undoes-theft
test('an operator undoes the changes from an instant on', () => {
  const registrations = ['a', 'b', 'c'].map((url, index) => ({ url, since: at(index * 1000) }))
  expect(undoRegistrations(endpoint({ registrations }), at(1000))).toEqual(registrations.slice(0, 1))
  expect(undoRegistrations(endpoint({ registrations }), at(1001))).toEqual(registrations.slice(0, 2))
  expect(undoRegistrations(endpoint({ registrations }), at(0))).toEqual([])
})

// Proves: webhooks/endpoint-change-rate
test('after a flood of rotations the next one comes an hour later, and keeps the oldest secret and the latest', () => {
  let current = endpoint()
  for (const index of [2, 3, 4, 5]) current = endpoint({ secrets: rotateSecrets(current, `s${index}`, at(index)) ?? [] })
  expect(rotateSecrets(current, 's6', at(ROTATION_INTERVAL_MS))).toBeUndefined()
  const secrets = rotateSecrets(current, 's6', at(ROTATION_INTERVAL_MS + 5)) ?? []
  expect(secrets.map(({ sealed }) => sealed)).toEqual(['s6', 's5', 's3', 's2', 's1'])
})

// Proves: api/secret-rotation
test('after a rotation the old secret signs too, for a day', () => {
  const rotated = endpoint({ secrets: rotateSecrets(endpoint(), 's2', at(0)) ?? [] })
  const live = (ms: number) => liveSecrets(rotated, at(ms)).map(({ sealed }) => sealed)
  expect(live(0)).toEqual(['s2', 's1'])
  expect(live(ROTATION_OVERLAP_MS - 1)).toEqual(['s2', 's1'])
  expect(live(ROTATION_OVERLAP_MS)).toEqual(['s2'])
})

// Proves: api/secret-rotation
test('a second rotation keeps the promise of the first, and a flood of them is refused', () => {
  let current = endpoint()
  for (const [index, expected] of [
    ['s2', 's1'],
    ['s3', 's2', 's1'],
    ['s4', 's3', 's2', 's1'],
  ].entries()) {
    current = endpoint({ secrets: rotateSecrets(current, `s${index + 2}`, at(index)) ?? [] })
    expect(liveSecrets(current, at(100)).map(({ sealed }) => sealed)).toEqual(expected)
  }
  current = endpoint({ secrets: rotateSecrets(current, 's5', at(10)) ?? [] })
  expect(rotateSecrets(current, 's6', at(11))).toBeUndefined()
  expect(rotateSecrets(current, 's6', at(ROTATION_OVERLAP_MS + 11))).toHaveLength(2)
})

describe('the limit of changes', () => {
  const limit = { burst: 3, intervalMs: 1000 }
  const at = (ms: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + ms)

  // Proves: webhooks/endpoint-change-rate
  test('a burst at once, then one change in each interval', () => {
    expect(changeWaitMs([], at(0), limit)).toBe(0)
    expect(changeWaitMs([at(0), at(0)], at(0), limit)).toBe(0)
    expect(changeWaitMs([at(0), at(0), at(0)], at(0), limit)).toBe(1000)
    expect(changeWaitMs([at(0), at(0), at(0)], at(400), limit)).toBe(600)
    expect(changeWaitMs([at(0), at(0), at(0)], at(1000), limit)).toBe(0)
    expect(changeWaitMs([at(0), at(0), at(0), at(1000)], at(1000), limit)).toBe(1000)
  })

  // Proves: webhooks/endpoint-change-rate
  test('however often a change is tried, the wait is at most one interval', async () => {
    const pauses = fc.array(fc.nat({ max: 5000 }), { maxLength: 200 })
    fc.assert(
      fc.property(pauses, (pausesMs) => {
        const made: Date[] = []
        let nowMs = 0
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs
          const waitMs = changeWaitMs(made, at(nowMs), limit)
          expect(waitMs).toBeLessThanOrEqual(limit.intervalMs)
          if (waitMs === 0) made.push(at(nowMs))
        }
        expect(made.length).toBeLessThanOrEqual(limit.burst + nowMs / limit.intervalMs)
      }),
    )
  })
})
