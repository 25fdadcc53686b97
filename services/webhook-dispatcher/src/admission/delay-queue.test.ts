import fc from 'fast-check'
import { anEvent } from '../../test/builders.ts'
import { openDelivery, type Delivery } from '../domain/delivery.ts'
import type { PendingAttempt } from '../persistence/pending-attempts.ts'
import type { Denied } from './admission.ts'
import type { DelayLevels } from './delay-levels.ts'
import { createDelayQueue, type Handled } from './delay-queue.ts'
import type { Delay, RetryMessageFacts } from './message-facts.ts'

const SWEEP_OVERDUE_MS = 120_000
const LEVELS_MS = [500, 2000, 10_000, 30_000, 120_000, 300_000] as const
const attempt: PendingAttempt = { deliveryId: '01J.1', attempt: 1, url: 'https://merchant.example/' }

/** A record that is due now, and the delay queue over it. As in the database, an early message is a copy and is dropped. */
function begin(levelsMs: DelayLevels = LEVELS_MS, random: () => number = () => 0) {
  const state = { nowMs: 0, dueMs: 0, updates: 0 }
  const [inserted, published]: [Delivery[], Delay[]] = [[], []]
  const delayQueue = createDelayQueue({
    levelsMs,
    sweepOverdueMs: SWEEP_OVERDUE_MS,
    deliveries: { insert: async (delivery) => inserted.push(delivery) > 0 },
    pendingAttempts: {
      async delay(_attempt, until, now) {
        if (state.dueMs > now.getTime() + 5000) return false
        state.dueMs = until.getTime()
        state.updates += 1
        return true
      },
    },
    retries: { publishDelayed: async (_delivery, delay) => void published.push(delay) },
    now: () => new Date(state.nowMs),
    random,
  })
  const delayRetry = (denied: Denied, facts: Facts) => delayQueue.delayRetry(attempt, denied, facts)
  return { state, delayQueue, delayRetry, inserted, published }
}

/** The only message of an attempt is never dropped. */
function waits(handled: Handled): Delay {
  if (handled === 'done') throw new Error('the message was dropped')
  return handled
}

type Facts = Omit<RetryMessageFacts, 'acknowledge'>

const FIRST: Facts = { timesDelayed: 0, recordDueMs: undefined }
const open = (retryAfterMs: number): Denied => ({ kind: 'denied', reason: 'breaker_open', retryAfterMs })
const busy = (silentMs: number): Denied => ({ kind: 'denied', reason: 'at_limit', silentMs })
const someDenials = fc.array(fc.oneof(fc.nat(400_000).map(open), fc.nat(400_000).map(busy)), { minLength: 1, maxLength: 30 })

// Proves: webhooks/waiting-record-is-never-overdue
test.each([
  ['the default delays', LEVELS_MS],
  ['one short delay', [500] as const],
  ['one long delay', [300_000] as const],
])(
  'with %s a message that comes back in time is never so late for its record that the sweep publishes a copy',
  async (_, levelsMs) => {
    await fc.assert(
      fc.asyncProperty(someDenials, fc.double({ min: 0, max: 1, noNaN: true }), async (denials, random) => {
        const { state, delayRetry } = begin(levelsMs, () => random)
        let facts = FIRST
        for (const denied of denials) {
          const { delayMs, recordDueMs } = waits(await delayRetry(denied, facts))
          state.nowMs += delayMs
          expect(state.nowMs - state.dueMs).toBeLessThanOrEqual(SWEEP_OVERDUE_MS / 3)
          facts = { timesDelayed: facts.timesDelayed + 1, recordDueMs }
        }
      }),
    )
  },
)

test('a message that comes back every ten seconds changes its record six times in five minutes', async () => {
  const { state, delayRetry } = begin()
  let facts = FIRST
  for (let timesDelayed = 1; state.nowMs < 300_000; timesDelayed++) {
    const { delayMs, recordDueMs } = waits(await delayRetry(open(10_000), facts))
    state.nowMs += delayMs
    facts = { timesDelayed, recordDueMs }
  }
  expect(state.updates).toBe(6)
})

test('a second message for the same attempt is dropped when it would change a record that the first has just changed', async () => {
  const { state, delayRetry } = begin()
  const first = await delayRetry(open(10_000), FIRST)
  expect(first).toEqual({ delayMs: 10_000, recordDueMs: 10_000 })
  // A resend publishes another one, which knows nothing of the record.
  state.nowMs = 1000
  expect(await delayRetry(open(9000), FIRST)).toBe('done')
  // A broker that restarts delivers one twice. Both know the record, so neither is dropped until the record must change.
  state.nowMs = 10_000
  const known = { timesDelayed: 1, recordDueMs: 10_000 }
  expect(await delayRetry(open(10_000), known)).toEqual({ delayMs: 10_000, recordDueMs: 10_000 })
  expect(await delayRetry(open(10_000), known)).toEqual({ delayMs: 10_000, recordDueMs: 10_000 })
  state.nowMs = 45_000
  expect(await delayRetry(open(10_000), known)).toEqual({ delayMs: 10_000, recordDueMs: 55_000 })
  expect(await delayRetry(open(10_000), known)).toBe('done')
})

test('a delayed first attempt knows what its record says', async () => {
  const { state, delayQueue, inserted, published } = begin()
  const delivery = openDelivery(anEvent('m'), '{}', attempt.url, new Date(0))
  state.nowMs = 1000
  await delayQueue.delayFirstAttempt(delivery, open(2000), { timesDelayed: 0, acknowledge: () => (state.nowMs += 30_000) })
  expect(published).toEqual([{ delayMs: 2000, recordDueMs: 3000 }])
  expect(inserted).toMatchObject([{ state: { status: 'retrying', nextAttemptAt: new Date(3000) } }])
})
