import { silentLog } from '@gateway/service-kit'
import { openDelivery, webhookOf, type Delivery } from '../../deliveries/index.ts'
import { anEvent } from '../../../test/builders.ts'
import { makeClaims, type Lease } from './claims.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const event = anEvent('mer_1')
const delivery = openDelivery(event, webhookOf(event), 'https://merchant.example/', new Date(start))
const [EXCHANGE_MS, MARGIN_MS] = [10_000, 20_000]
const leaseFrom = (ms: number): Lease => ({ now: new Date(ms), until: new Date(ms + EXCHANGE_MS + MARGIN_MS) })

/** Claims over a database whose writes take so long, one after the other. */
function begin(writesMs: readonly number[], renewed: Delivery | undefined = delivery) {
  const clock = { wallMs: start, monotonicMs: 0 }
  const writes: string[] = []
  const write = async <T>(what: string, result: T): Promise<T> => {
    const tookMs = writesMs[Math.min(writes.push(what), writesMs.length) - 1] ?? 0
    clock.wallMs += tookMs
    clock.monotonicMs += tookMs
    return result
  }
  const secondsOf = (instant: Date) => (instant.getTime() - start) / 1000
  const claims = makeClaims({
    deliveries: {
      renewClaim: ({ id }, attempt, held, { until }) =>
        write(`renew ${id} attempt ${attempt} from ${secondsOf(held.until)} to ${secondsOf(until)}`, renewed),
    },
    exchangeMs: EXCHANGE_MS,
    marginMs: MARGIN_MS,
    log: silentLog,
    now: () => new Date(clock.wallMs),
    monotonicMs: () => clock.monotonicMs,
  })
  const claim = (stored: Delivery | undefined = delivery) => claims.claim(() => write('store', stored))
  return { claims, claim, clock, write, writes }
}

test('a claim that is stored in time is one write', async () => {
  const { claim, writes } = begin([MARGIN_MS / 2])
  expect(await claim()).toMatchObject({ delivery, lease: leaseFrom(start) })
  expect(writes).toEqual(['store'])
})

// Proves: webhooks/late-claim-is-renewed
test('a claim that is stored late is renewed, with the end of the new lease', async () => {
  const { claim, writes } = begin([12_000, 3])
  expect(await claim()).toMatchObject({ delivery, lease: leaseFrom(start + 12_000) })
  expect(writes).toEqual(['store', `renew ${delivery.id} attempt 1 from 30 to 42`])
})

test('the wall clock may jump back while a claim is stored: its age counts', async () => {
  const { claims, clock, write, writes } = begin([12_000, 3])
  await claims.claim(async () => {
    const stored = await write('store', delivery)
    clock.wallMs = start
    return stored
  })
  expect(writes).toHaveLength(2)
})

// Proves: webhooks/late-claim-is-renewed
test('another replica has the attempt by then: nothing is claimed', async () => {
  const { claims, write, writes } = begin([40_000])
  expect(await claims.claim(() => write('store', undefined))).toBeUndefined()
  expect(writes).toEqual(['store'])
  const lost = makeClaims({
    deliveries: { renewClaim: async () => undefined },
    exchangeMs: EXCHANGE_MS,
    marginMs: 0,
    log: silentLog,
    now: () => new Date(start),
    monotonicMs: ticking(),
  })
  expect(await lost.claim(async () => delivery)).toBeUndefined()
})

test('a database that stays slow gets no claim: the sweep publishes the attempt again', async () => {
  const { claim, writes } = begin([11_000])
  expect(await claim()).toBeUndefined()
  expect(writes).toHaveLength(4)
})

/** A clock that is later each time. */
function ticking(): () => number {
  let ms = 0
  return () => ms++
}
