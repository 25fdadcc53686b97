import { silentLog } from '@gateway/service-kit'
import { createThrottle, type Denied, type Slot } from './throttle.ts'
import type { BreakerRules } from './circuit-breaker.ts'
import { createCircuitBreakers } from './circuit-breaker.ts'
import { createInFlightLimit } from './in-flight-limit.ts'

const rules: BreakerRules = {
  window: 2,
  minResults: 2,
  failureShare: 1,
  forgetAfterMs: 60_000,
  firstOpenMs: 1000,
  maxOpenMs: 8000,
  jitter: 0,
  fullSlots: 10,
}
const endpoint = { endpointId: 'm', url: 'https://merchant.example/' }
const failed = { status_code: null, error: 'timeout' } as const
const worked = { status_code: 404, error: null }

function begin() {
  const clock = { ms: 0 }
  const events: string[] = []
  const nowMs = () => clock.ms
  const onChange = (to: string) => void events.push(to)
  const breakers = createCircuitBreakers({ rules, onChange, log: silentLog, nowMs, random: () => 0 })
  const throttle = createThrottle({
    breakers,
    limit: createInFlightLimit({ maxPerEndpoint: 10, slotsPerPriority: 100, nowMs }),
    onDenied: (reason) => void events.push(reason),
    nowMs,
  })
  const acquire = (url = endpoint.url): Slot | Denied => throttle.acquire({ ...endpoint, url }, 'retries')
  /** One whole exchange; false when it was denied. */
  const exchange = (result: typeof failed | typeof worked): boolean => {
    const slot = acquire()
    if (slot.kind === 'denied') return false
    slot.release(result)
    return true
  }
  return { throttle, breakers, clock, events, acquire, exchange }
}

test('the breaker opens, lets one probe through at a time, and closes with one slot', () => {
  const { breakers, clock, events, acquire, exchange } = begin()
  expect([exchange(failed), exchange(failed), exchange(worked)]).toEqual([true, true, false])
  expect(acquire()).toEqual({ kind: 'denied', reason: 'breaker_open', retryAfterMs: 1000 })
  expect(acquire('https://other.example/').kind).toBe('slot')
  expect(breakers.notClosed).toBe(1)

  clock.ms = 1000
  const probe = acquire()
  expect([probe.kind, acquire().kind]).toEqual(['slot', 'denied'])
  if (probe.kind === 'slot') probe.release(worked)
  expect([acquire().kind, acquire().kind]).toEqual(['slot', 'denied'])
  expect(events.filter((event) => !['breaker_open', 'at_limit'].includes(event))).toEqual(['open', 'half_open', 'closed'])
  expect(breakers.notClosed).toBe(0)
})

test('after a probe that was not sent the next one is due at once', () => {
  const { clock, acquire, exchange } = begin()
  exchange(failed)
  exchange(failed)
  clock.ms = 1000
  const probe = acquire()
  expect(acquire().kind).toBe('denied')
  if (probe.kind === 'slot') probe.release()
  expect(acquire().kind).toBe('slot')
})

test('a failed probe keeps the breaker open for twice as long', () => {
  const { clock, acquire, exchange } = begin()
  exchange(failed)
  exchange(failed)
  clock.ms = 1000
  expect(exchange(failed)).toBe(true)
  expect(acquire()).toEqual({ kind: 'denied', reason: 'breaker_open', retryAfterMs: 2000 })
})

test('results of exchanges that began before the breaker opened neither close nor prolong it', () => {
  const { clock, acquire, exchange } = begin()
  const [slow, late] = [acquire(), acquire()]
  exchange(failed)
  exchange(failed)
  if (slow.kind === 'slot') slow.release(failed)
  if (late.kind === 'slot') late.release(worked)
  clock.ms = 999
  expect(acquire()).toMatchObject({ retryAfterMs: 1 })
})

// Proves: webhooks/attempts-over-the-limit-are-delayed
test('acquireSoon waits for a slot of a healthy endpoint, not of a failing or recovering one, and briefly for a hanging one', async () => {
  const { throttle, clock, acquire, events, exchange } = begin()
  const acquireSoon = () => throttle.acquireSoon(endpoint, 'first_attempts')
  const slots = Array.from({ length: 10 }, () => acquire()).filter((answer) => answer.kind === 'slot')
  const soon = acquireSoon()
  slots[0]?.release(worked)
  expect(await soon).toMatchObject({ kind: 'slot' })
  expect(events).toEqual([])

  // No slot is released.
  expect(await acquireSoon()).toEqual({ kind: 'denied', reason: 'at_limit', silentMs: 0 })
  expect(events).toEqual(['at_limit'])
  clock.ms = 3000
  expect(await acquireSoon()).toEqual({ kind: 'denied', reason: 'at_limit', silentMs: 3000 })

  slots[1]?.release(failed)
  expect(acquire().kind).toBe('slot')
  const answered = acquireSoon()
  slots[2]?.release()
  slots[3]?.release()
  // It did not wait for either.
  expect(await answered).toMatchObject({ kind: 'denied' })
  expect(exchange(failed)).toBe(true)
  expect(await acquireSoon()).toMatchObject({ kind: 'denied', reason: 'breaker_open' })
})
