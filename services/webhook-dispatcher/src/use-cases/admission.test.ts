import { silentLog } from '@gateway/service-kit'
import type { BreakerRules } from '../domain/breaker.ts'
import { createAdmission, type Place, type Wait } from './admission.ts'
import { createInFlightLimits } from './in-flight-limits.ts'

const rules: BreakerRules = {
  window: 2,
  minResults: 2,
  failureShare: 1,
  forgetAfterMs: 60_000,
  firstOpenMs: 1000,
  maxOpenMs: 8000,
  jitter: 0,
  fullPlaces: 10,
}
const endpoint = { merchantId: 'm', url: 'https://shop.example/' }
const failed = { statusCode: null, error: 'timeout' } as const
const worked = { statusCode: 404, error: null }

function begin() {
  const clock = { ms: 0 }
  const events: string[] = []
  const nowMs = () => clock.ms
  const admission = createAdmission({
    limits: createInFlightLimits({ maxPerEndpoint: 10, laneSize: 100, nowMs }),
    rules,
    observer: { changed: (to) => void events.push(to), waits: (because) => void events.push(because) },
    log: silentLog,
    nowMs,
    random: () => 0,
  })
  const ask = (url = endpoint.url): Place | Wait => admission.ask({ ...endpoint, url }, 'retries')
  /** One exchange from begin to end; false when it was not admitted. */
  const exchange = (result: typeof failed | typeof worked): boolean => {
    const place = ask()
    if (place.kind === 'wait') return false
    place.end(result)
    return true
  }
  return { admission, clock, events, ask, exchange }
}

test('it opens, lets one probe through at a time, and closes with one place', () => {
  const { admission, clock, events, ask, exchange } = begin()
  expect([exchange(failed), exchange(failed), exchange(worked)]).toEqual([true, true, false])
  expect(ask()).toEqual({ kind: 'wait', because: 'breaker', waitMs: 1000 })
  expect(ask('https://other.example/').kind).toBe('place')
  expect(admission.leftAlone).toBe(1)

  clock.ms = 1000
  const probe = ask()
  expect([probe.kind, ask().kind]).toEqual(['place', 'wait'])
  if (probe.kind === 'place') probe.end(worked)
  expect([ask().kind, ask().kind]).toEqual(['place', 'wait'])
  expect(events.filter((event) => !['breaker', 'limit'].includes(event))).toEqual(['open', 'half_open', 'closed'])
  expect(admission.leftAlone).toBe(0)
})

test('a probe that came to nothing leaves the way to the next one', () => {
  const { clock, ask, exchange } = begin()
  exchange(failed)
  exchange(failed)
  clock.ms = 1000
  const probe = ask()
  expect(ask().kind).toBe('wait')
  if (probe.kind === 'place') probe.end()
  expect(ask().kind).toBe('place')
})

test('a failed probe keeps it open for twice as long', () => {
  const { clock, ask, exchange } = begin()
  exchange(failed)
  exchange(failed)
  clock.ms = 1000
  expect(exchange(failed)).toBe(true)
  expect(ask()).toEqual({ kind: 'wait', because: 'breaker', waitMs: 2000 })
})

test('results of what was on its way when it opened neither close nor prolong it', () => {
  const { clock, ask, exchange } = begin()
  const [slow, late] = [ask(), ask()]
  exchange(failed)
  exchange(failed)
  if (slow.kind === 'place') slow.end(failed)
  if (late.kind === 'place') late.end(worked)
  clock.ms = 999
  expect(ask()).toMatchObject({ waitMs: 1 })
})

test('a place of a well endpoint is waited for; whoever fails or recovers is not, and one that hangs not for long', async () => {
  const { admission, clock, ask, events, exchange } = begin()
  const askPatiently = () => admission.askPatiently(endpoint, 'first_attempts')
  const places = Array.from({ length: 10 }, ask).filter((answer) => answer.kind === 'place')
  const patient = askPatiently()
  places[0]?.end(worked)
  expect(await patient).toMatchObject({ kind: 'place' })
  expect(events).toEqual([])

  // Nobody gives anything back.
  expect(await askPatiently()).toEqual({ kind: 'wait', because: 'limit', waitMs: 0 })
  expect(events).toEqual(['limit'])
  clock.ms = 3000
  expect(await askPatiently()).toEqual({ kind: 'wait', because: 'limit', waitMs: 3000 })

  places[1]?.end(failed)
  expect(ask().kind).toBe('place')
  const answered = askPatiently()
  places[2]?.end()
  places[3]?.end()
  // It did not wait for either.
  expect(await answered).toMatchObject({ kind: 'wait' })
  expect(exchange(failed)).toBe(true)
  expect(await askPatiently()).toMatchObject({ kind: 'wait', because: 'breaker' })
})
