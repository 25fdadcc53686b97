import { formatSigningSecret, readSigningSecret, type TransactionStatusChanged } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import type { Delivery } from '../domain/delivery.ts'
import type { BreakerRules } from '../domain/breaker.ts'
import type { UrlHealth } from '../domain/endpoint-health.ts'
import { createAdmission } from './admission.ts'
import { makeAttemptSteps } from './attempt.ts'
import { makeDeliverFirst } from './deliver-first.ts'
import { createInFlightLimits } from './in-flight-limits.ts'
import { makeWaitAside } from './wait-aside.ts'

const now = new Date('2026-01-01T00:00:00Z')
const event: TransactionStatusChanged = {
  id: '01J.1',
  type: 'transaction.status-changed',
  version: 1,
  occurred_at: now.toISOString(),
  correlation_id: 'c',
  data: {
    transaction_id: '01J',
    order_id: 'ORD-1',
    merchant_id: 'mer_1',
    order_created_at: now.toISOString(),
    sequence: 1,
    status: 'Initiate',
    amount_paise: 49_900,
    currency: 'INR',
    method: null,
    rrn: null,
    payer: null,
    failure_reason: null,
    udf1: '',
    udf2: '',
    udf3: '',
  },
}

const rules: BreakerRules = {
  window: 1,
  minResults: 1,
  failureShare: 1,
  forgetAfterMs: 1000,
  firstOpenMs: 5000,
  maxOpenMs: 5000,
  jitter: 0,
  fullPlaces: 20,
}
const place = { merchantId: 'mer_1', url: 'https://shop.example/', lane: 'first_attempts' } as const
const fresh = { maybePublished: false, parked: 0 }

/** Counts every call of the database, the network and the broker. */
function begin({
  statusCode = 200,
  health = [],
  onInsert,
}: Partial<{ statusCode: number; health: UrlHealth[]; onInsert: () => void }> = {}) {
  const calls: string[] = []
  const inserted: Delivery[] = []
  const deliveries = {
    insert: async (delivery: Delivery) => {
      calls.push('insert')
      onInsert?.()
      inserted.push(delivery)
      return true
    },
    claim: async () => {
      calls.push('claim')
      return undefined
    },
    record: async () => {
      calls.push('record')
      return 'recorded' as const
    },
    find: async () => undefined,
    reopen: async () => false,
    resendAfterRunning: async () => false,
  }
  const wakeUps = {
    after: async () => void calls.push('publish'),
    now: async () => void calls.push('publish'),
    aside: async (_delivery: Delivery, delayMs: number) => void calls.push(`aside ${delayMs}`),
  }
  const observer = {
    attempted: () => undefined,
    acknowledged: () => undefined,
    settled: (kind: string) => void settled.push(kind),
  }
  const settled: string[] = []
  const steps = makeAttemptSteps({
    send: async () => {
      calls.push('post')
      return { at: now, durationMs: 1, statusCode, error: null, address: null, responseExcerpt: null }
    },
    deliveries,
    wakeUps,
    schedule: [1000],
    leaseMs: 1000,
    observer,
    log: silentLog,
    now: () => now,
  })
  const key = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 1)))
  const registrations = [{ url: place.url, since: now }]
  const endpoint = { merchantId: 'mer_1', registrations, secrets: [], health }
  const clock = { ms: now.getTime() }
  const nowMs = () => clock.ms
  const limits = createInFlightLimits({ maxPerEndpoint: 1, laneSize: 10, nowMs })
  const findEndpoint = async () => ({ endpoint, signingKeys: () => [key] })
  const ignore = { changed: () => undefined, waits: () => undefined }
  const admission = createAdmission({ limits, rules, observer: ignore, nowMs, random: () => 0, log: silentLog })
  const waiting = { postpone: async () => true }
  const aside = { levelsMs: [500, 2000, 10_000], deliveries, waiting, wakeUps, now: () => now, random: () => 1 } as const
  const waitAside = makeWaitAside(aside)
  const noteHealth = async () => undefined
  const shared = { findEndpoint, deliveries, admission, waitAside, steps, noteHealth, observer, now: () => now }
  return { deliver: makeDeliverFirst(shared), calls, inserted, limits, settled, clock }
}

test('the common path is one POST and one insert of the finished record, and nothing else', async () => {
  const { deliver, calls, inserted } = begin()
  expect(await deliver(event, fresh)).toBe('done')
  expect(calls).toEqual(['post', 'insert'])
  expect(inserted).toMatchObject([{ id: '01J.1', state: { status: 'delivered' }, attemptCount: 1, attempts: [{ number: 1 }] }])
})

test('a message that may have been handled before claims its record before the POST', async () => {
  const { deliver, calls } = begin()
  expect(await deliver(event, { maybePublished: true, parked: 0 })).toBe('done')
  expect(calls).toEqual(['insert', 'post', 'record'])
})

test('over its limit an endpoint gets nothing, and nothing is written; the place is given back', async () => {
  const { deliver, calls, limits } = begin()
  const giveBack = limits.take(place)
  expect(await deliver(event, fresh)).toEqual({ parkMs: 500 })
  expect(calls).toEqual([])
  giveBack?.()
  expect(await deliver(event, fresh)).toBe('done')
  expect(limits.total).toBe(0)
})

test('the place is free as soon as the exchange is over, whatever recording takes', async () => {
  const held: number[] = []
  const { deliver, limits } = begin({ onInsert: () => void held.push(limits.total) })
  await deliver(event, fresh)
  await deliver(event, { maybePublished: true, parked: 0 })
  expect(held).toEqual([0, 1])
})

test('over its limit again it gets a record that says until when it waits, without an attempt, and goes to the retries', async () => {
  const { deliver, calls, inserted, limits } = begin()
  limits.take(place)
  expect(await deliver(event, { maybePublished: false, parked: 1 })).toBe('done')
  expect(calls).toEqual(['insert', 'aside 2000'])
  const nextAttemptAt = new Date(now.getTime() + 2000)
  expect(inserted).toMatchObject([{ state: { status: 'retrying', nextAttemptAt }, attemptCount: 0, attempts: [] }])
})

test.each([
  [3000, 2000],
  [6000, 10_000],
])(
  'over the limit of an endpoint that has answered nothing for %i ms it has a record and waits for %i',
  async (silentMs, waitMs) => {
    const { deliver, calls, inserted, limits, clock } = begin()
    limits.take(place)
    clock.ms += 500
    expect(await deliver(event, fresh)).toEqual({ parkMs: 500 })
    clock.ms += silentMs - 500
    expect(await deliver(event, fresh)).toBe('done')
    expect(calls).toEqual(['insert', `aside ${waitMs}`])
    expect(inserted).toMatchObject([{ state: { status: 'retrying' }, attemptCount: 0, attempts: [] }])
  },
)

test('while the breaker is open the record says how long it waits, and there is no POST', async () => {
  const { deliver, calls, inserted } = begin({ statusCode: 500 })
  await deliver(event, fresh)
  calls.length = 0
  expect(await deliver({ ...event, id: '01J.2' }, fresh)).toBe('done')
  expect(calls).toEqual(['insert', 'aside 10000'])
  expect(inserted.at(-1)).toMatchObject({ id: '01J.2', state: { status: 'retrying' }, attemptCount: 0 })
})

test('of a disabled endpoint the record is dead and says why; nothing is sent', async () => {
  const disabled = { at: now, reason: 'gone' } as const
  const { deliver, calls, inserted, settled } = begin({
    health: [{ url: place.url, failingSince: now, lastFailureAt: now, disabled }],
  })
  expect(await deliver(event, fresh)).toBe('done')
  expect(calls).toEqual(['insert'])
  expect(settled).toEqual(['endpoint_disabled'])
  const state = { status: 'dead', reason: 'endpoint_disabled' }
  expect(inserted).toMatchObject([{ state, url: place.url, attemptCount: 0, attempts: [{ error: 'endpoint_disabled' }] }])
})
