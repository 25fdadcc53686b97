import type { Broker } from '@gateway/messaging'
import { makeAsOf, ON_THE_WAY_MS } from './as-of.ts'

/** A replica with a broker, a consumer and a clock in the test's hand. */
function aReplica() {
  let nowMs = 1000
  let report: (state: Broker['state']) => void = () => undefined
  const consumer: { oldestPublishedAtMs: number | undefined } = { oldestPublishedAtMs: undefined }
  const broker: Pick<Broker, 'state' | 'onStateChange'> = {
    state: 'up',
    onStateChange: (listener) => {
      report = listener
      return () => undefined
    },
  }
  const asOf = makeAsOf({ broker, consumer, now: () => new Date(nowMs) })
  return {
    ...{ consumer, setOthers: asOf.setOthers },
    at: (ms: number) => void (nowMs = ms),
    broker: (state: Broker['state']) => report(state),
    published: () => asOf.published().getTime(),
    /** The last end of a day that is complete. */
    whole: () => asOf.whole().getTime(),
  }
}

// Proves: ledger/as-of-says-how-fresh
test('the oldest event in hand, the loss of the broker, or now', () => {
  const { consumer, at, broker, published } = aReplica()
  expect(published()).toBe(1000)
  consumer.oldestPublishedAtMs = 400
  expect(published()).toBe(400)
  consumer.oldestPublishedAtMs = undefined
  broker('down')
  at(9000)
  broker('down')
  expect(published()).toBe(1000)
  broker('up')
  expect(published()).toBe(9000)
})

// Proves: ledger/complete-counts-all-replicas
test('an older event in the hand of another replica counts as much as an own one', () => {
  const { consumer, setOthers, published } = aReplica()
  setOthers(new Date(300))
  expect(published()).toBe(300)
  consumer.oldestPublishedAtMs = 200
  expect(published()).toBe(200)
  consumer.oldestPublishedAtMs = undefined
  setOthers(undefined)
  expect(published()).toBe(1000)
})

// Proves: ledger/complete-counts-all-replicas
test('a day is complete only when nothing of it can be on its way: minutes after its end, and after a loss of the broker', () => {
  const { at, broker, whole } = aReplica()
  const day = 24 * 60 * 60_000
  at(day)
  expect(whole()).toBe(day - ON_THE_WAY_MS)
  broker('down')
  at(2 * day)
  broker('up')
  // What waited during the loss may come only now, also after another short loss.
  at(2 * day + ON_THE_WAY_MS - 1)
  broker('down')
  broker('up')
  expect(whole()).toBe(day - ON_THE_WAY_MS)
  at(2 * day + 2 * ON_THE_WAY_MS)
  expect(whole()).toBe(2 * day + ON_THE_WAY_MS)
})
