import type { Broker, Consumer } from '@gateway/messaging'

/**
 * Returns the time up to which every published event is in the ledger: the time of the oldest event that this replica still
 * handles, the time at which it lost the broker, or now. The queue delivers its oldest messages first, so no older event waits in it.
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
