import type { Broker, Consumer } from '@gateway/messaging'

/**
 * How long an event of a day can be on its way after the day's end, when no engine is away: outboxes are swept every few seconds,
 * and a broker gives the messages of a dead replica to another one within half a minute.
 */
export const ON_THE_WAY_MS = 5 * 60_000

export interface AsOf {
  /**
   * The time up to which this replica has stored what it got: the time of the oldest event that it still handles, the time at which
   * it lost the broker, or now. The queue delivers its oldest messages first, so no older event waits in it.
   */
  readonly own: () => Date
  /** Takes the earliest time of the other replicas; `undefined` when there is none. */
  readonly setOthers: (others: Date | undefined) => void
  /** The time up to which every published event is in the ledger: the earliest of all replicas. */
  readonly published: () => Date
  /** The time up to which the ledger has everything: `published`, less what may be on its way to the queue or in it. */
  readonly whole: () => Date
}

export function makeAsOf({
  broker,
  consumer,
  now,
}: {
  broker: Pick<Broker, 'state' | 'onStateChange'>
  consumer: Pick<Consumer, 'oldestPublishedAtMs'>
  now: () => Date
}): AsOf {
  const nowMs = (): number => now().getTime()
  let downSinceMs = broker.state === 'down' ? nowMs() : undefined
  // After a loss of the broker, or a start, publishers and queues need time to bring what waited.
  let [lostAtMs, upSinceMs, othersMs] = [nowMs(), nowMs(), Infinity]
  const catchesUp = (): boolean => downSinceMs !== undefined || nowMs() - upSinceMs < ON_THE_WAY_MS
  broker.onStateChange((state) => {
    if (state === 'down') {
      if (!catchesUp()) lostAtMs = nowMs()
      downSinceMs ??= nowMs()
    } else if (downSinceMs !== undefined) {
      downSinceMs = undefined
      upSinceMs = nowMs()
    }
  })
  const ownMs = (): number => Math.min(nowMs(), downSinceMs ?? Infinity, consumer.oldestPublishedAtMs ?? Infinity)
  const publishedMs = (): number => Math.min(ownMs(), othersMs)
  return {
    own: () => new Date(ownMs()),
    setOthers: (others) => void (othersMs = others?.getTime() ?? Infinity),
    published: () => new Date(publishedMs()),
    whole: () => new Date(Math.min(publishedMs(), catchesUp() ? lostAtMs : Infinity) - ON_THE_WAY_MS),
  }
}
