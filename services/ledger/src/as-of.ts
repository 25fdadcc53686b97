import type { Broker, Consumer } from '@gateway/messaging'

/**
 * Up to when published events are in the ledger: the oldest one that this replica has in hand, or the loss of the broker, or now.
 * A queue delivers its oldest messages first, so nothing older waits behind them.
 */
export function makeAsOf({
  broker,
  consumer,
  now,
}: {
  broker: Pick<Broker, 'state' | 'onStateChange'>
  consumer: Pick<Consumer, 'oldestPublishedAtMs'>
  now: () => Date
}): () => Date {
  let downSinceMs = broker.state === 'down' ? now().getTime() : undefined
  broker.onStateChange((state) => (downSinceMs = state === 'down' ? (downSinceMs ?? now().getTime()) : undefined))
  return () => new Date(Math.min(now().getTime(), downSinceMs ?? Infinity, consumer.oldestPublishedAtMs ?? Infinity))
}
