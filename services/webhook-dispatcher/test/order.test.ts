import fc from 'fast-check'
import { formatSigningSecret, readSigningSecret } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import type { Delivery } from '../src/deliveries/domain/delivery.ts'
import { createThrottle } from '../src/throttling/throttle.ts'
import { createCircuitBreakers } from '../src/throttling/circuit-breaker.ts'
import { createParking } from '../src/delivering/use-cases/park.ts'
import { createInFlightLimit } from '../src/throttling/in-flight-limit.ts'
import { createExchanges } from '../src/delivering/use-cases/exchange.ts'
import { endpointIdIn, endpointIdOf } from '../src/endpoints/index.ts'
import { makeClaims } from '../src/delivering/use-cases/claims.ts'
import { makeDeliverFirst, makeDeliverRetry } from '../src/delivering/use-cases/deliver.ts'
import { makeResend } from '../src/delivering/use-cases/resend.ts'
import { makeSweepOverdue } from '../src/delivering/use-cases/sweep-overdue.ts'
import { anEvent } from './builders.ts'
import { memoryDeliveries } from './memory-deliveries.ts'

const start = new Date('2026-01-01T00:00:00Z')
const now = () => start
const [ORIGINAL, CURRENT] = ['https://merchant.example/old', 'https://merchant.example/new']
const key = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 1)))
const registrations = [
  { url: ORIGINAL, since: new Date(0) },
  { url: CURRENT, since: start },
]
const known = { endpoint: { id: endpointIdIn('m'), registrations, secrets: [], health: [] }, signingKeys: () => [key] }
/** Rules with which the breaker never opens: it has tests of its own. */
const rules = {
  window: 1,
  minResults: 2,
  failureShare: 1,
  forgetAfterMs: 1,
  firstOpenMs: 1,
  maxOpenMs: 1,
  jitter: 0,
  fullSlots: 2,
}

/** The real use cases over a database, a broker and merchants whose every step happens when `turn` resolves. */
function begin(turn: () => Promise<unknown>, answers: readonly number[], slow: readonly boolean[]) {
  const { deliveries, lists, all } = memoryDeliveries(turn)
  const [running, posts] = [new Map<string, number>(), [] as { id: string; attempt: string; atOnce: number }[]]
  const tasks = new Set<Promise<unknown>>()
  /** Events whose message was acknowledged while nothing but the message said that a webhook is owed. */
  const dropped: string[] = []
  const acknowledgeOf = (id: string) => (): void => {
    if (!all().some((delivery) => delivery.id === id)) dropped.push(id)
  }
  const run = (task: Promise<unknown>): void => {
    const tracked = task.finally(() => tasks.delete(tracked))
    tasks.add(tracked)
  }

  const observer = { attempted: () => undefined, settled: () => undefined, acknowledged: () => undefined }
  const nowMs = (): number => start.getTime()
  const limit = createInFlightLimit({ maxPerEndpoint: 2, slotsPerPriority: 100, nowMs })
  const breakers = createCircuitBreakers({ rules, onChange: () => undefined, log: silentLog, nowMs, random: () => 0 })
  const throttle = createThrottle({ breakers, limit, onDenied: () => undefined, nowMs })
  /** Each message arrives once, at some time. */
  const publish = async (delivery: Delivery): Promise<void> => {
    const { id, attempt_count: attemptCount, url } = delivery
    await turn()
    run(
      retry({
        deliveryId: id,
        merchantId: delivery.merchant_id,
        attempt: attemptCount + 1,
        endpointId: endpointIdOf(delivery),
        url: url ?? '',
      }),
    )
  }
  const retries = { publishAfter: publish, publishNow: publish, publishParked: publish }
  const exchanges = createExchanges({
    async send({ headers }) {
      const id = headers['webhook-id'] ?? ''
      const atOnce = (running.get(id) ?? 0) + 1
      running.set(id, atOnce)
      const statusCode = answers[posts.length % answers.length] ?? 200
      posts.push({ id, attempt: headers['webhook-attempt'] ?? '', atOnce })
      await turn()
      running.set(id, (running.get(id) ?? 0) - 1)
      return { at: start, duration_ms: 1, status_code: statusCode, error: null, address: null, response_excerpt: null }
    },
    deliveries,
    retries,
    claims: makeClaims({ deliveries, exchangeMs: 500, marginMs: 60_000, log: silentLog, now }),
    schedule: [1, 2],
    async isSlow() {
      await turn()
      return slow[posts.length % slow.length] ?? false
    },
    noteHealth: async () => undefined,
    observer,
    log: silentLog,
    now,
  })
  const findEndpoint = async () => {
    await turn()
    return known
  }
  const pendingAttempts = {
    park: async () => {
      await turn()
      return true
    },
    giveUp: async () => false,
  }
  const parking = createParking({
    levelsMs: [1],
    sweepOverdueMs: 1,
    deliveries,
    pendingAttempts,
    retries,
    now,
    random: () => 0,
  })
  const shared = {
    findEndpoint,
    deliveries,
    pendingAttempts,
    throttle,
    parking,
    exchanges,
    observer,
    now,
  }
  const deliverFirst = makeDeliverFirst(shared)
  const deliverRetry = makeDeliverRetry(shared)
  async function retry(message: Parameters<typeof deliverRetry>[0]): Promise<void> {
    const acknowledge = acknowledgeOf(message.deliveryId)
    let recordDueMs: number | undefined
    for (let timesParked = 0; ; timesParked++) {
      await turn()
      const handled = await deliverRetry(message, { timesParked, recordDueMs, acknowledge })
      if (handled === 'done') return
      recordDueMs = handled.recordDueMs
    }
  }
  const resend = makeResend({ deliveries, findEndpoint, retries, log: silentLog, now })
  return {
    all,
    posts,
    dropped,
    tasks,
    async first(event: ReturnType<typeof anEvent>) {
      for (let timesParked = 0; ; timesParked++) {
        const message = { mayBeRepeated: false, timesParked, acknowledge: acknowledgeOf(event.id) }
        if ((await deliverFirst(event, message)) === 'done') return
      }
    },
    // Without a record it is not found, and a delivery that keeps changing is busy: both are answers to the caller.
    resend: (id: string, to: 'original' | 'current') => resend.ofMerchant('m', id, to, async () => {}).catch(() => undefined),
    sweep: makeSweepOverdue({ lists, retries, overdueMs: 0, canPublish: () => true, log: silentLog, now }),
    run,
  }
}

const actions = fc.array(fc.constantFrom('sweep', 'original', 'current'), { maxLength: 6 })
const someAnswers = fc.array(fc.constantFrom(200, 404, 500), { minLength: 1, maxLength: 8 })
const someSlow = fc.array(fc.boolean(), { maxLength: 4 })

// Proves: webhooks/one-attempt-at-a-time
test('in any order of first attempts, retries, sweeps and resends, no event has two attempts at once or one attempt twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      actions,
      someAnswers,
      someSlow,
      fc.integer({ min: 1, max: 3 }),
      async (scheduler, happens, answers, slow, count) => {
        const events = Array.from({ length: count }, () => anEvent('m', { order_created_at: new Date(1).toISOString() }))
        const world = begin(() => scheduler.schedule(Promise.resolve()), answers, slow)
        for (const event of events) world.run(world.first(event))
        happens.forEach((what, index) => {
          const { id } = events[index % count] ?? { id: '' }
          world.run(what === 'sweep' ? world.sweep() : world.resend(id, what))
        })
        while (world.tasks.size > 0) await scheduler.waitFor(Promise.all(world.tasks))

        for (const { atOnce } of world.posts) expect(atOnce).toBe(1)
        expect(world.all()).toHaveLength(count)
        expect(world.dropped).toEqual([])
        for (const { id, attempts, attempt_count: attemptCount, state } of world.all()) {
          const numbers = Array.from({ length: attemptCount }, (_, index) => index + 1)
          expect(attempts.map(({ number }) => number)).toEqual(numbers)
          expect(world.posts.filter((post) => post.id === id).map(({ attempt }) => Number(attempt))).toEqual(numbers)
          // Every retry message was handled: nothing is left open.
          expect(state.status).not.toBe('retrying')
        }
      },
    ),
    { numRuns: 300 },
  )
})
