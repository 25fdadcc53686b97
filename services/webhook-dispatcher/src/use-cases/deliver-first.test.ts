import { formatSigningSecret, readSigningSecret, type TransactionStatusChanged } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import type { Delivery } from '../domain/delivery.ts'
import { makeAttemptSteps } from './attempt.ts'
import { makeDeliverFirst } from './deliver-first.ts'
import { createInFlightLimits } from './in-flight-limits.ts'

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

/** Counts every call of the database, the network and the broker. */
function begin(maxInFlight = 1) {
  const calls: string[] = []
  const inserted: Delivery[] = []
  const deliveries = {
    insert: async (delivery: Delivery) => {
      calls.push('insert')
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
  const observer = { attempted: () => undefined, settled: () => undefined }
  const steps = makeAttemptSteps({
    send: async () => {
      calls.push('post')
      return { at: now, durationMs: 1, statusCode: 200, error: null, address: null, responseExcerpt: null }
    },
    deliveries,
    wakeUps: { after: async () => void calls.push('publish'), now: async () => void calls.push('publish') },
    schedule: [1000],
    leaseMs: 1000,
    observer,
    log: silentLog,
    now: () => now,
  })
  const key = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 1)))
  const endpoint = { merchantId: 'mer_1', registrations: [{ url: 'https://shop.example/', since: now }], secrets: [] }
  const limits = createInFlightLimits(maxInFlight)
  const findEndpoint = async () => ({ endpoint, signingKeys: () => [key] })
  return {
    deliver: makeDeliverFirst({ findEndpoint, deliveries, limits, steps, observer, now: () => now }),
    calls,
    inserted,
    limits,
  }
}

test('the common path is one POST and one insert of the finished record, and nothing else', async () => {
  const { deliver, calls, inserted } = begin()
  expect(await deliver(event, false)).toBe('done')
  expect(calls).toEqual(['post', 'insert'])
  expect(inserted).toMatchObject([{ id: '01J.1', state: { status: 'delivered' }, attemptCount: 1, attempts: [{ number: 1 }] }])
})

test('a message that may have been handled before claims its record before the POST', async () => {
  const { deliver, calls } = begin()
  expect(await deliver(event, true)).toBe('done')
  expect(calls).toEqual(['insert', 'post', 'record'])
})

test('over its limit an endpoint gets nothing, and nothing is written; the place is given back', async () => {
  const { deliver, calls, limits } = begin()
  const giveBack = limits.take({ merchantId: 'mer_1', url: 'https://shop.example/' })
  expect(await deliver(event, false)).toBe('over_limit')
  expect(calls).toEqual([])
  giveBack?.()
  expect(await deliver(event, false)).toBe('done')
  expect(limits.total).toBe(0)
})
