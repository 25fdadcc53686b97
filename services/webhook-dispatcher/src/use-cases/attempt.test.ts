import { formatSigningSecret, readSigningSecret, verifySignature } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import type { AddressedDelivery } from '../domain/delivery.ts'
import type { Recorded } from '../persistence/attempt-record.ts'
import type { WebhookRequest } from '../clients/webhook/webhook-client.ts'
import { makeAttemptSteps } from './attempt.ts'

const key = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 1)))
const start = Date.parse('2026-01-01T00:00:00Z')
const delivery: AddressedDelivery = {
  id: '01J.2',
  merchantId: 'mer_1',
  orderId: 'ORD-1',
  transactionId: '01J',
  sequence: 2,
  correlationId: 'c',
  body: '{"txnid":"01J"}',
  url: 'https://merchant.example/',
  originalUrl: 'https://merchant.example/',
  state: { status: 'retrying', nextAttemptAt: new Date(start) },
  attemptCount: 0,
  roundStart: 0,
  attempts: [],
  occurredAt: new Date(start - 250),
  createdAt: new Date(start),
}

/** The steps, a clock that the test moves, and everything that happened, in order. */
function begin(statusCode: number, recorded: Recorded = 'recorded') {
  const clock = { ms: start }
  const happened: string[] = []
  const sent: WebhookRequest[] = []
  const steps = makeAttemptSteps({
    send: async (request) => {
      sent.push(request)
      happened.push('post')
      return { at: new Date(clock.ms), durationMs: 1, statusCode, error: null, address: null, responseExcerpt: null }
    },
    deliveries: {
      record: async () => {
        happened.push('record')
        return recorded
      },
    },
    retries: {
      publishAfter: async ({ attemptCount }, delayMs) => void happened.push(`attempt ${attemptCount + 1} after ${delayMs}`),
      publishNow: async ({ attemptCount, url }) => void happened.push(`attempt ${attemptCount + 1} now to ${url}`),
      publishDelayed: async ({ attemptCount }) => void happened.push(`attempt ${attemptCount + 1} delayed`),
    },
    schedule: [1000, 60_000],
    observer: {
      attempted: () => undefined,
      acknowledged: (afterMs) => void happened.push(`acknowledged after ${afterMs}`),
      settled: (kind) => void happened.push(kind),
    },
    log: silentLog,
    now: () => new Date(clock.ms),
  })
  return { steps, clock, happened, sent }
}

// Proves: webhooks/webhook-id-is-event-id
test('each attempt has a signature, time and number of its own, over the same bytes and the same id', async () => {
  const { steps, clock, sent } = begin(500)
  await steps.post(delivery, 1, [key])
  clock.ms += 21_600_000
  await steps.post(delivery, 8, [key])
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
  const { steps, happened } = begin(statusCode, recorded)
  const attempt = await steps.post(delivery, 1, [key])
  await steps.record(delivery, attempt, steps.decide(delivery, attempt), {
    now: new Date(start),
    until: new Date(start + 30_000),
  })
  expect(happened).toEqual(expected)
})
