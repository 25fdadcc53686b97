/** The first attempt of a delivery, with a record of its calls to the database, the network and the broker. */
import { formatSigningSecret, readSigningSecret, type SigningKey, type TransactionStatusChanged } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { createThrottle } from '../src/throttling/throttle.ts'
import type { BreakerRules } from '../src/throttling/circuit-breaker.ts'
import { createCircuitBreakers } from '../src/throttling/circuit-breaker.ts'
import { createParking } from '../src/delivering/use-cases/park.ts'
import { createInFlightLimit } from '../src/throttling/in-flight-limit.ts'
import type { Parked } from '../src/delivering/publishing/park-message.ts'
import type { Delivery } from '../src/deliveries/domain/delivery.ts'
import type { UrlHealth } from '../src/endpoints/domain/endpoint-health.ts'
import { createExchanges } from '../src/delivering/use-cases/exchange.ts'
import { endpointIdIn } from '../src/endpoints/index.ts'
import { makeClaims } from '../src/delivering/use-cases/claims.ts'
import { makeDeliverFirst } from '../src/delivering/use-cases/deliver.ts'

export const now = new Date('2026-01-01T00:00:00Z')
export const event: TransactionStatusChanged = {
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
  fullSlots: 20,
}
export const slotRequest = { endpointId: 'mer_1', url: 'https://merchant.example/', priority: 'first_attempts' } as const
export const fresh = { mayBeRepeated: false, timesParked: 0 }

/** Records every call to the database, the network and the broker. */
export function begin({
  statusCode = 200,
  health = [],
  keys = [readSigningSecret(formatSigningSecret(Buffer.alloc(32, 1)))],
  isNew = true,
  isSlow = false,
  onInsert,
}: Partial<{
  statusCode: number
  health: UrlHealth[]
  keys: SigningKey[]
  isNew: boolean
  isSlow: boolean
  onInsert: () => void
}> = {}) {
  const clock = { ms: now.getTime() }
  const calls: string[] = []
  const inserted: Delivery[] = []
  const deliveries = {
    insert: async (delivery: Delivery) => {
      calls.push('insert')
      onInsert?.()
      inserted.push(delivery)
      return isNew
    },
    claim: async () => {
      calls.push('claim')
      return undefined
    },
    renewClaim: async () => {
      calls.push('renew')
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
  const broker = { isAway: false }
  const retries = {
    publishAfter: async () => void calls.push('publish'),
    publishNow: async () => void calls.push('publish'),
    publishParked: async (_delivery: Delivery, { parkMs }: Parked) => {
      calls.push(`parked ${parkMs}`)
      if (broker.isAway) throw new Error('the broker is away')
    },
  }
  const observer = {
    attempted: () => undefined,
    acknowledged: () => undefined,
    settled: (kind: string) => void settled.push(kind),
  }
  const settled: string[] = []
  const claims = makeClaims({
    deliveries,
    exchangeMs: 500,
    marginMs: 500,
    log: silentLog,
    now: () => now,
    monotonicMs: () => clock.ms,
  })
  const exchanges = createExchanges({
    send: async () => {
      calls.push('post')
      return { at: now, duration_ms: 1, status_code: statusCode, error: null, address: null, response_excerpt: null }
    },
    deliveries,
    retries,
    claims,
    schedule: [1000],
    isSlow: async () => isSlow,
    noteHealth: async () => undefined,
    observer,
    log: silentLog,
    now: () => now,
  })
  const registrations = [{ url: slotRequest.url, since: now }]
  const endpoint = { id: endpointIdIn('mer_1'), registrations, secrets: [], health }
  const nowMs = () => clock.ms
  const limit = createInFlightLimit({ maxPerEndpoint: 1, slotsPerPriority: 10, nowMs })
  const findEndpoint = async () => ({ endpoint, signingKeys: () => keys })
  const breakers = createCircuitBreakers({ rules, onChange: () => undefined, nowMs, random: () => 0, log: silentLog })
  const throttle = createThrottle({ breakers, limit, onDenied: () => undefined, nowMs })
  const parking = createParking({
    levelsMs: [500, 2000, 10_000],
    sweepOverdueMs: 120_000,
    deliveries,
    pendingAttempts: { park: async () => true },
    retries,
    now: () => now,
    random: () => 1,
  })
  const acknowledge = (): void => void calls.push('acknowledge')
  const deliverFirst = makeDeliverFirst({ findEndpoint, deliveries, throttle, parking, exchanges, observer, now: () => now })
  const deliver = (of: typeof event, message: typeof fresh) => deliverFirst(of, { ...message, acknowledge })
  return { deliver, calls, inserted, limit, settled, clock, broker }
}
