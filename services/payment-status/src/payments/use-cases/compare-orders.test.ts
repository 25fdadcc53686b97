import { firstTransactionIdAt, Unavailable } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { openTransaction } from '../domain/transition.ts'
import { at, orderCreatedEvent } from '../../../test/data.ts'
import { makeCompareOrders } from './compare-orders.ts'

const AFTER_MS = 300_000
const HOUR = 3600

/** Orders that exist from the beginning; `lost` ones have no transaction. Times are seconds after noon. The replica has run for some time. */
function startComparison(orders: ReadonlyMap<string, number>, lost: readonly string[], { ranForMs = AFTER_MS } = {}) {
  const startedAt = 24 * HOUR
  let seconds = startedAt - ranForMs / 1000
  const missing = new Set(lost)
  const [asked, adopted, raised]: [number[], string[], string[]] = [[], [], []]
  const state = { isBrokerUp: true, isOrderApiAway: false }
  const step = makeCompareOrders({
    orders: {
      async createdBetween(since, until, limit) {
        if (state.isOrderApiAway) throw new Unavailable('order_api_unavailable', 'away')
        const found = [...orders].filter(([, created]) => at(created) >= since && at(created) < until).map(([id]) => id)
        asked.push(Math.min(found.length, limit))
        return found.slice(0, limit)
      },
    },
    transactions: { findMissing: async (ids) => ids.filter((id) => missing.has(id)) },
    adopt: {
      async byId(id) {
        adopted.push(id)
        missing.delete(id)
        return openTransaction(orderCreatedEvent({ transaction_id: id })).transaction
      },
    },
    isBrokerUp: () => state.isBrokerUp,
    afterMs: AFTER_MS,
    now: () => at(seconds),
    log: silentLog,
    alerts: { inc: ({ kind }: { kind: string }) => void raised.push(kind) },
  })
  seconds = startedAt
  return {
    ...{ state, asked, adopted, raised },
    later: (more: number) => void (seconds += more),
    steps: async (count: number) => {
      for (let number = 0; number < count; number++) expect(await step()).toBe(false)
    },
  }
}

const idAt = (second: number): string => firstTransactionIdAt(at(second))
const ordersAt = (...seconds: number[]): Map<string, number> => new Map(seconds.map((second) => [idAt(second), second]))

// Proves: faults/order-without-a-transaction-is-found
test('an order whose event was lost up to a day ago is adopted once, with an alert; the others are left alone', async () => {
  const orders = ordersAt(HOUR, 2 * HOUR, 20 * HOUR)
  const lost = [idAt(HOUR), idAt(20 * HOUR)]
  const { steps, adopted, raised, asked } = startComparison(orders, lost)
  await steps(250)
  expect(adopted).toEqual(lost)
  expect(raised).toEqual(['order_event_lost', 'order_event_lost'])
  // A quiet day takes few requests, and none once the comparison has caught up.
  expect(asked.length).toBeLessThan(170)
})

// Proves: faults/order-without-a-transaction-is-found
test('an order is given time for its event: five minutes', async () => {
  const second = 24 * HOUR - 60
  const { steps, adopted, later } = startComparison(ordersAt(second), [idAt(second)])
  await steps(250)
  expect(adopted).toEqual([])
  later(300)
  await steps(3)
  expect(adopted).toEqual([idAt(second)])
})

// Proves: faults/order-without-a-transaction-is-found
test('a busy time is compared in short windows, each order once', async () => {
  const busy = new Map(Array.from({ length: 3000 }, (_, number) => [`T${number}`, 10 * HOUR + number / 100]))
  const { steps, adopted, asked } = startComparison(busy, ['T0', 'T777', 'T2999'])
  await steps(300)
  expect(adopted).toEqual(['T0', 'T777', 'T2999'])
  expect(Math.max(...asked)).toBeLessThanOrEqual(1000)
})

// Proves: faults/order-without-a-transaction-is-found
test('nothing is compared while the broker is away, nor soon after its return: the events are only late', async () => {
  const { steps, adopted, state, asked, later } = startComparison(ordersAt(HOUR), [idAt(HOUR)])
  state.isBrokerUp = false
  await steps(250)
  state.isBrokerUp = true
  later(AFTER_MS / 1000 - 1)
  await steps(250)
  expect(asked).toEqual([])
  later(1)
  await steps(250)
  expect(adopted).toHaveLength(1)
})

// Proves: faults/order-without-a-transaction-is-found
test('nothing is compared soon after the start: events may have waited for the replica', async () => {
  const { steps, adopted, asked, later } = startComparison(ordersAt(HOUR), [idAt(HOUR)], { ranForMs: 0 })
  await steps(250)
  expect(asked).toEqual([])
  later(AFTER_MS / 1000)
  await steps(250)
  expect(adopted).toHaveLength(1)
})

// Proves: faults/order-without-a-transaction-is-found
test('while order-api is away, the comparison waits at the same place', async () => {
  const { steps, adopted, state } = startComparison(ordersAt(HOUR), [idAt(HOUR)])
  state.isOrderApiAway = true
  await steps(250)
  state.isOrderApiAway = false
  await steps(250)
  expect(adopted).toHaveLength(1)
})
