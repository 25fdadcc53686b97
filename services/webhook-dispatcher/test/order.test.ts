import fc from 'fast-check'
import { formatSigningSecret, readSigningSecret } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import type { Delivery } from '../src/domain/delivery.ts'
import { createAdmission } from '../src/use-cases/admission.ts'
import { makeAttemptSteps } from '../src/use-cases/attempt.ts'
import { makeDeliverFirst } from '../src/use-cases/deliver-first.ts'
import { makeDeliverRetry } from '../src/use-cases/deliver-retry.ts'
import { createInFlightLimits } from '../src/use-cases/in-flight-limits.ts'
import { makeResend } from '../src/use-cases/resend.ts'
import { makeSweepOverdue } from '../src/use-cases/sweep-overdue.ts'
import { makeWaitAside } from '../src/use-cases/wait-aside.ts'
import { anEvent } from './builders.ts'
import { memoryDeliveries } from './memory-deliveries.ts'

const start = new Date('2026-01-01T00:00:00Z')
const now = () => start
const [ORIGINAL, CURRENT] = ['https://shop.example/old', 'https://shop.example/new']
const key = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 1)))
const registrations = [
  { url: ORIGINAL, since: new Date(0) },
  { url: CURRENT, since: start },
]
const known = { endpoint: { merchantId: 'm', registrations, secrets: [], health: [] }, signingKeys: () => [key] }
/** It never opens: the breaker has tests of its own. */
const rules = {
  window: 1,
  minResults: 2,
  failureShare: 1,
  forgetAfterMs: 1,
  firstOpenMs: 1,
  maxOpenMs: 1,
  jitter: 0,
  fullPlaces: 2,
}

/** The use cases as they are, over a database, a broker and merchants whose every step happens when `turn` resolves. */
function begin(turn: () => Promise<unknown>, answers: readonly number[]) {
  const { deliveries, lists, all } = memoryDeliveries(turn)
  const [running, posts] = [new Map<string, number>(), [] as { id: string; attempt: string; atOnce: number }[]]
  const tasks = new Set<Promise<unknown>>()
  const run = (task: Promise<unknown>): void => {
    const tracked = task.finally(() => tasks.delete(tracked))
    tasks.add(tracked)
  }

  const observer = { attempted: () => undefined, settled: () => undefined, acknowledged: () => undefined }
  const nowMs = (): number => start.getTime()
  const limits = createInFlightLimits({ maxPerEndpoint: 2, laneSize: 100, nowMs })
  const ignore = { changed: () => undefined, waits: () => undefined }
  const admission = createAdmission({
    limits,
    rules,
    observer: ignore,
    log: silentLog,
    nowMs,
    random: () => 0,
  })
  /** Each message comes once, sooner or later. */
  const publish = async ({ id, attemptCount, merchantId, url }: Delivery): Promise<void> => {
    await turn()
    run(wake({ deliveryId: id, attempt: attemptCount + 1, merchantId, url: url ?? '' }))
  }
  const wakeUps = { after: publish, now: publish, aside: publish }
  const steps = makeAttemptSteps({
    async send({ headers }) {
      const id = headers['webhook-id'] ?? ''
      const atOnce = (running.get(id) ?? 0) + 1
      running.set(id, atOnce)
      const statusCode = answers[posts.length % answers.length] ?? 200
      posts.push({ id, attempt: headers['webhook-attempt'] ?? '', atOnce })
      await turn()
      running.set(id, (running.get(id) ?? 0) - 1)
      return { at: start, durationMs: 1, statusCode, error: null, address: null, responseExcerpt: null }
    },
    deliveries,
    wakeUps,
    schedule: [1, 2],
    leaseMs: 1000,
    observer,
    log: silentLog,
    now,
  })
  const findEndpoint = async () => {
    await turn()
    return known
  }
  const waiting = {
    postpone: async () => {
      await turn()
      return true
    },
    bury: async () => false,
  }
  const waitAside = makeWaitAside({ levelsMs: [1], deliveries, waiting, wakeUps, now, random: () => 0 })
  const shared = {
    findEndpoint,
    deliveries,
    waiting,
    admission,
    waitAside,
    steps,
    noteHealth: async () => undefined,
    observer,
    now,
  }
  const deliverFirst = makeDeliverFirst(shared)
  const deliverRetry = makeDeliverRetry(shared)
  async function wake(message: Parameters<typeof deliverRetry>[0]): Promise<void> {
    do await turn()
    while ((await deliverRetry(message, 0)) !== 'done')
  }
  const resend = makeResend({ deliveries, findEndpoint, wakeUps, log: silentLog, now })
  return {
    all,
    posts,
    tasks,
    async first(event: ReturnType<typeof anEvent>) {
      for (let parked = 0; ; parked++) if ((await deliverFirst(event, { maybePublished: false, parked })) === 'done') return
    },
    // Before its record is there it is not found, and should it change all the time it is busy: the caller's answer.
    resend: (id: string, to: 'original' | 'current') => resend.ofMerchant('m', id, to).catch(() => undefined),
    sweep: makeSweepOverdue({ lists, wakeUps, overdueMs: 0, canPublish: () => true, log: silentLog, now }),
    run,
  }
}

const actions = fc.array(fc.constantFrom('sweep', 'original', 'current'), { maxLength: 6 })
const someAnswers = fc.array(fc.constantFrom(200, 404, 500), { minLength: 1, maxLength: 8 })

test('in whatever order first attempts, retries, sweeps and resends happen, no event has two attempts at once or one twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      actions,
      someAnswers,
      fc.integer({ min: 1, max: 3 }),
      async (scheduler, happens, answers, count) => {
        const events = Array.from({ length: count }, () => anEvent('m', { order_created_at: new Date(1).toISOString() }))
        const world = begin(() => scheduler.schedule(Promise.resolve()), answers)
        for (const event of events) world.run(world.first(event))
        happens.forEach((what, index) => {
          const { id } = events[index % count] ?? { id: '' }
          world.run(what === 'sweep' ? world.sweep() : world.resend(id, what))
        })
        while (world.tasks.size > 0) await scheduler.waitFor(Promise.all(world.tasks))

        for (const { atOnce } of world.posts) expect(atOnce).toBe(1)
        expect(world.all()).toHaveLength(count)
        for (const { id, attempts, attemptCount, state } of world.all()) {
          const numbers = Array.from({ length: attemptCount }, (_, index) => index + 1)
          expect(attempts.map(({ number }) => number)).toEqual(numbers)
          expect(world.posts.filter((post) => post.id === id).map(({ attempt }) => Number(attempt))).toEqual(numbers)
          // Every wake-up has come: nothing is left open.
          expect(state.status).not.toBe('retrying')
        }
      },
    ),
    { numRuns: 300 },
  )
}, 60_000)
