import type { Broker, Consumer } from '@gateway/messaging'
import { startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { Replicas } from './persistence/replicas.ts'

/**
 * How long an event of a day can be on its way after the day's end, when no engine is away: outboxes are swept every few seconds,
 * and a broker gives the messages of a dead replica to another one within half a minute.
 */
export const ON_THE_WAY_MS = 5 * 60_000

export type AsOf = ReturnType<typeof makeAsOf>

/** Up to when the ledger has stored what was published. */
export function makeAsOf(parts: {
  broker: Pick<Broker, 'state' | 'onStateChange'>
  consumer: Pick<Consumer, 'oldestPublishedAtMs'>
  now: () => Date
}) {
  const { broker, consumer, now } = parts
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
    /**
     * The time up to which this replica has stored what it got: the time of the oldest event that it still handles, the time at which
     * it lost the broker, or now. The queue delivers its oldest messages first, so no older event waits in it.
     */
    own: () => new Date(ownMs()),
    /** Takes the earliest time of the other replicas; `undefined` when there is none. */
    setOthers: (others: Date | undefined) => void (othersMs = others?.getTime() ?? Infinity),
    /** The time up to which every published event is in the ledger: the earliest of all replicas. */
    published: () => new Date(publishedMs()),
    /** The time up to which the ledger has everything: `published`, less what may be on its way to the queue or in it. */
    whole: () => new Date(Math.min(publishedMs(), catchesUp() ? lostAtMs : Infinity) - ON_THE_WAY_MS),
  }
}

/** Shares every second with the other replicas up to when each has stored what it got. */
export function shareAsOf(parts: {
  asOf: Pick<AsOf, 'own' | 'setOthers'>
  replicas: Replicas
  consumer: Pick<Consumer, 'inFlight'>
  log: Log
  now: () => Date
}): Stoppable {
  const { asOf, replicas, consumer, log, now } = parts
  return startWorker({
    ...{ name: 'as-of', log, idleMs: 1000 },
    async step() {
      asOf.setOthers(await replicas.share(asOf.own(), now()))
      return false
    },
    async atEnd() {
      // What is still in hand goes to another replica: until it is there, the time that this one shared last still counts.
      if (consumer.inFlight === 0) await replicas.leave()
    },
  })
}
