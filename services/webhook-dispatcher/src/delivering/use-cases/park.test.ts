import fc from 'fast-check'
import { anEvent } from '../../../test/builders.ts'
import { openDelivery, webhookOf, type Delivery, type PendingAttempt } from '../../deliveries/index.ts'
import type { Denied } from '../../throttling/index.ts'
import type { Parked } from '../publishing/park-message.ts'
import { createParking, nearestLevelMs, parkMsFor, type Handled, type ParkLevels, type RetryTrigger } from './park.ts'

const SWEEP_OVERDUE_MS = 120_000
const LEVELS_MS = [500, 2000, 10_000, 30_000, 120_000, 300_000] as const
const attempt: PendingAttempt = { deliveryId: '01J.1', merchantId: 'm', attempt: 1, url: 'https://merchant.example/' }

/** A record that is due now, and the parking over it. As in the database, an early message is a copy and is dropped. */
function begin(levelsMs: ParkLevels = LEVELS_MS, random: () => number = () => 0) {
  const state = { nowMs: 0, dueMs: 0, updates: 0 }
  const [inserted, published]: [Delivery[], Parked[]] = [[], []]
  const parking = createParking({
    levelsMs,
    sweepOverdueMs: SWEEP_OVERDUE_MS,
    deliveries: { insert: async (delivery) => inserted.push(delivery) > 0 },
    pendingAttempts: {
      async park(_attempt, until, now) {
        if (state.dueMs > now.getTime() + 5000) return false
        state.dueMs = until.getTime()
        state.updates += 1
        return true
      },
    },
    retries: { publishParked: async (_delivery, parked) => void published.push(parked) },
    now: () => new Date(state.nowMs),
    random,
  })
  const parkRetry = (denied: Denied, trigger: KnownTrigger) => parking.parkRetry(attempt, denied, trigger)
  return { state, parking, parkRetry, inserted, published }
}

/** The only message of an attempt is never dropped. */
function parkedOf(handled: Handled): Parked {
  if (handled === 'done') throw new Error('the message was dropped')
  return handled
}

type KnownTrigger = Omit<RetryTrigger, 'acknowledge'>

const FIRST: KnownTrigger = { timesParked: 0, recordDueMs: undefined }
const open = (retryAfterMs: number): Denied => ({ kind: 'denied', reason: 'breaker_open', retryAfterMs })
const busy = (silentMs: number): Denied => ({ kind: 'denied', reason: 'at_limit', silentMs })
const someDenials = fc.array(fc.oneof(fc.nat(400_000).map(open), fc.nat(400_000).map(busy)), { minLength: 1, maxLength: 30 })

// Proves: webhooks/waiting-record-is-never-overdue
test.each([
  ['the default levels', LEVELS_MS],
  ['one short level', [500] as const],
  ['one long level', [300_000] as const],
])(
  'with %s a message that comes back in time is never so late for its record that the sweep publishes a copy',
  async (_, levelsMs) => {
    await fc.assert(
      fc.asyncProperty(someDenials, fc.double({ min: 0, max: 1, noNaN: true }), async (denials, random) => {
        const { state, parkRetry } = begin(levelsMs, () => random)
        let trigger = FIRST
        for (const denied of denials) {
          const { parkMs, recordDueMs } = parkedOf(await parkRetry(denied, trigger))
          state.nowMs += parkMs
          expect(state.nowMs - state.dueMs).toBeLessThanOrEqual(SWEEP_OVERDUE_MS / 3)
          trigger = { timesParked: trigger.timesParked + 1, recordDueMs }
        }
      }),
    )
  },
)

test('a message that comes back every ten seconds changes its record six times in five minutes', async () => {
  const { state, parkRetry } = begin()
  let trigger = FIRST
  for (let timesParked = 1; state.nowMs < 300_000; timesParked++) {
    const { parkMs, recordDueMs } = parkedOf(await parkRetry(open(10_000), trigger))
    state.nowMs += parkMs
    trigger = { timesParked, recordDueMs }
  }
  expect(state.updates).toBe(6)
})

test('a second message for the same attempt is dropped when it would change a record that the first has just changed', async () => {
  const { state, parkRetry } = begin()
  const first = await parkRetry(open(10_000), FIRST)
  expect(first).toEqual({ parkMs: 10_000, recordDueMs: 10_000 })
  // A resend publishes another one, which knows nothing of the record.
  state.nowMs = 1000
  expect(await parkRetry(open(9000), FIRST)).toBe('done')
  // A broker that restarts delivers one twice. Both know the record, so neither is dropped until the record must change.
  state.nowMs = 10_000
  const known = { timesParked: 1, recordDueMs: 10_000 }
  expect(await parkRetry(open(10_000), known)).toEqual({ parkMs: 10_000, recordDueMs: 10_000 })
  expect(await parkRetry(open(10_000), known)).toEqual({ parkMs: 10_000, recordDueMs: 10_000 })
  state.nowMs = 45_000
  expect(await parkRetry(open(10_000), known)).toEqual({ parkMs: 10_000, recordDueMs: 55_000 })
  expect(await parkRetry(open(10_000), known)).toBe('done')
})

test('a parked first attempt knows what its record says', async () => {
  const { state, parking, inserted, published } = begin()
  const event = anEvent('m')
  const delivery = openDelivery(event, webhookOf(event), attempt.url, new Date(0))
  state.nowMs = 1000
  await parking.parkFirst(delivery, open(2000), { timesParked: 0, acknowledge: () => (state.nowMs += 30_000) })
  expect(published).toEqual([{ parkMs: 2000, recordDueMs: 3000 }])
  expect(inserted).toMatchObject([{ state: { status: 'retrying', next_attempt_at: new Date(3000) } }])
})

describe('park levels', () => {
  const levels: [number, ...number[]] = [500, 2000, 10_000, 30_000, 120_000, 300_000]
  const randomNumber = fc.double({ min: 0, max: 1, noNaN: true })

  test.each([
    [0, 0, 500],
    [0, 500, 500],
    [0, 501, 2000],
    [0, 5000, 10_000],
    [0, 300_000, 300_000],
    [0, 9_999_999, 300_000],
    [1, 0, 2000],
    [3, 0, 10_000],
    [3, 20_000, 30_000],
    [1000, 0, 300_000],
  ])('parked %i times before, at least %i ms: at most %i ms', (timesParked, minParkMs, expected) => {
    expect(parkMsFor(levels, timesParked, minParkMs, 1)).toBe(expected)
  })

  test('the time is a level, at least the minimum as far as there are levels, and never above the highest allowed level', () => {
    const ascending = fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(ascending, fc.nat(5000), fc.nat(2_000_000), randomNumber, (numbers, timesParked, minParkMs, random) => {
        const some = numbers.toSorted((one, other) => one - other)
        const parkMs = parkMsFor(some, timesParked, minParkMs, random)
        expect(some).toContain(parkMs)
        expect(parkMs).toBeGreaterThanOrEqual(Math.min(minParkMs, some.at(-1) ?? 0))
        expect(parkMs).toBeLessThanOrEqual(parkMsFor(some, timesParked, minParkMs, 1))
        expect(parkMsFor(some, timesParked + 1, minParkMs, 1)).toBeGreaterThanOrEqual(parkMsFor(some, timesParked, minParkMs, 1))
      }),
    )
  })

  // Proves: webhooks/open-breaker-delays-deliveries
  test('a message for a busy endpoint comes back less and less often: a few hundred times a day', () => {
    let [elapsedMs, timesParked] = [0, 0]
    while (elapsedMs < 86_400_000) elapsedMs += parkMsFor(levels, timesParked++, 0, 1)
    expect(timesParked).toBeLessThan(400)
  })

  test.each([
    [0, 500],
    [999, 500],
    [1000, 2000],
    [4400, 2000],
    [4500, 10_000],
    [10_100, 10_000],
    [18_000, 30_000],
    [9_999_999, 300_000],
  ])('after a silence of %i ms the nearest level is %i ms', (silentMs, expected) => {
    expect(nearestLevelMs(levels, silentMs)).toBe(expected)
    expect(nearestLevelMs([700], silentMs)).toBe(700)
  })
})
