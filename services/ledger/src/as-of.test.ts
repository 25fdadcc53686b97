import type { Broker } from '@gateway/messaging'
import { makeAsOf } from './as-of.ts'

// Proves: ledger/as-of-says-how-fresh
test('the oldest event in hand, the loss of the broker, or now', () => {
  let nowMs = 1000
  let tell: (state: Broker['state']) => void = () => undefined
  const consumer: { oldestPublishedAtMs: number | undefined } = { oldestPublishedAtMs: undefined }
  const broker: Pick<Broker, 'state' | 'onStateChange'> = {
    state: 'up',
    onStateChange: (listener) => {
      tell = listener
      return () => undefined
    },
  }
  const asOf = makeAsOf({ broker, consumer, now: () => new Date(nowMs) })
  expect(asOf().getTime()).toBe(1000)
  consumer.oldestPublishedAtMs = 400
  expect(asOf().getTime()).toBe(400)
  consumer.oldestPublishedAtMs = undefined
  tell('down')
  nowMs = 9000
  tell('down')
  expect(asOf().getTime()).toBe(1000)
  tell('up')
  expect(asOf().getTime()).toBe(9000)
})
