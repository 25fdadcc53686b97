import { setImmediate } from 'node:timers/promises'
import { formatSigningSecret, readSigningSecret, verifySignature } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import type { AddressedDelivery } from '../../deliveries/index.ts'
import type { Recorded } from '../../deliveries/persistence/deliveries.ts'
import { endpointIdIn } from '../../endpoints/index.ts'
import type { WebhookRequest } from '../../sending/webhook-client.ts'
import { createExchanges, makeIsSlow } from './exchange.ts'

const key = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 1)))
const start = Date.parse('2026-01-01T00:00:00Z')
const delivery: AddressedDelivery = {
  id: '01J.2',
  channel: 'payment',
  merchant_id: 'mer_1',
  order_id: 'ORD-1',
  transaction_id: '01J',
  sequence: 2,
  correlation_id: 'c',
  body: '{"txnid":"01J"}',
  url: 'https://merchant.example/',
  original_url: 'https://merchant.example/',
  state: { status: 'retrying', next_attempt_at: new Date(start) },
  attempt_count: 0,
  round_start: 0,
  attempts: [],
  resends: [],
  occurred_at: new Date(start - 250),
  created_at: new Date(start),
}

/** Attempts under a claim, a clock that the test moves, and everything that happened, in order. */
function begin(statusCode: number, recorded: Recorded = 'recorded') {
  const clock = { ms: start }
  const happened: string[] = []
  const sent: WebhookRequest[] = []
  const lease = { now: new Date(start), until: new Date(start + 30_000) }
  const exchanges = createExchanges({
    send: async (request) => {
      sent.push(request)
      happened.push('post')
      return {
        at: new Date(clock.ms),
        duration_ms: 1,
        status_code: statusCode,
        error: null,
        address: null,
        response_excerpt: null,
      }
    },
    deliveries: {
      insert: async () => false,
      claim: async () => undefined,
      record: async () => {
        happened.push('record')
        return recorded
      },
    },
    retries: {
      publishAfter: async ({ attempt_count: attemptCount }, delayMs) =>
        void happened.push(`attempt ${attemptCount + 1} after ${delayMs}`),
      publishNow: async ({ attempt_count, url }) => void happened.push(`attempt ${attempt_count + 1} now to ${url}`),
    },
    claims: { lease: () => lease, claim: async (store) => ({ delivery: (await store(lease)) ?? delivery, lease }) },
    schedule: [1000, 60_000],
    isSlow: async () => false,
    noteHealth: async () => undefined,
    observer: {
      attempted: () => undefined,
      acknowledged: (afterMs) => void happened.push(`acknowledged after ${afterMs}`),
      settled: (kind) => void happened.push(kind),
    },
    log: silentLog,
    now: () => new Date(clock.ms),
  })
  const endpoint = { id: endpointIdIn('mer_1'), registrations: [], secrets: [], health: [] }
  const permit = {
    known: { endpoint, signingKeys: () => [key] },
    url: delivery.url,
    slot: { kind: 'slot', release: () => undefined },
    priority: 'retries',
    acknowledge: () => undefined,
  } as const
  const attempt = (attemptCount: number) =>
    exchanges.claimThenSend(async () => ({ ...delivery, attempt_count: attemptCount }), permit)
  return { attempt, clock, happened, sent }
}

// Proves: webhooks/webhook-id-is-event-id
test('each attempt has a signature, time and number of its own, over the same bytes and the same id', async () => {
  const { attempt, clock, sent } = begin(500)
  await attempt(0)
  clock.ms += 21_600_000
  await attempt(7)
  const seen = sent.map(({ headers }) => [headers['webhook-id'], headers['webhook-attempt'], headers['webhook-timestamp']])
  expect(seen).toEqual([
    ['01J.2', '1', String(start / 1000)],
    ['01J.2', '8', String(start / 1000 + 21_600)],
  ])
  for (const { headers, body } of sent) {
    const timestamp = headers['webhook-timestamp'] ?? ''
    const message = { id: '01J.2', timestamp, signature: headers['webhook-signature'] ?? '', body }
    expect(verifySignature(message, [key], new Date(Number(timestamp) * 1000))).toBe(true)
    expect(body).toBe(delivery.body)
  }
})

// Proves: webhooks/record-is-the-truth
test.each([
  [200, 'recorded', ['post', 'record', 'delivered', 'acknowledged after 250']],
  [500, 'recorded', ['post', 'record', 'retry', 'attempt 2 after 1000']],
  [500, { resendTo: 'https://merchant.example/new' }, ['post', 'record', 'attempt 2 now to https://merchant.example/new']],
  [500, 'lost', ['post', 'record']],
  [410, 'recorded', ['post', 'record', 'dead']],
] as const)('POST, then the record, then the next step: answer %d, %j', async (statusCode, recorded, expected) => {
  const { attempt, happened } = begin(statusCode, recorded)
  await attempt(0)
  expect(happened).toEqual(expected)
})

const never = new Promise(() => undefined)

test('a running exchange is slow; a finished one is not, even when it failed', async () => {
  const isSlow = makeIsSlow({ slowAfterMs: 1, limit: { hasRoom: () => true } })
  expect(await isSlow(never, 'first_attempts')).toBe(true)
  expect(await isSlow(Promise.resolve(), 'first_attempts')).toBe(false)
  expect(await isSlow(Promise.reject(new Error('reset')), 'retries')).toBe(false)
})

test('while there is no room a slow exchange keeps its message, and it is asked for again later', async () => {
  const answers = [false, false, true]
  const asked: string[] = []
  const hasRoom = (priority: string): boolean => {
    asked.push(priority)
    return answers.shift() ?? false
  }
  const isSlow = makeIsSlow({ slowAfterMs: 1, limit: { hasRoom } })
  expect(await isSlow(never, 'retries')).toBe(true)
  expect(asked).toEqual(['retries', 'retries', 'retries'])
})

test('nothing is asked any more once the exchange is over', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let asked = 0
  const isSlow = makeIsSlow({
    slowAfterMs: 1,
    limit: {
      hasRoom() {
        asked += 1
        resolve(undefined)
        return false
      },
    },
  })
  expect(await isSlow(promise, 'retries')).toBe(false)
  await setImmediate()
  expect(asked).toBe(1)
})
