import { setTimeout as sleep } from 'node:timers/promises'
import { BrokerUnavailable } from '@gateway/messaging'
import { createBatcher, describeError, startWorker, type Batcher, type Stoppable } from '@gateway/service-kit'
import { Backlog } from './backlog.ts'
import { clearPublished, countUnpublished } from './documents.ts'
import { isMaybePublished } from './entry.ts'
import { EventPublisher, type PublishedEvent } from './event-publisher.ts'
import { RELAY_DEFAULTS, type OutboxRelay, type OutboxRelayOptions, type RelaySettings } from './relay-options.ts'
import { createSweep } from './sweep.ts'

/** Back-pressure begins when an event waits longer than this while the broker is up (design section 3). */
const MAX_AGE_MS = 2_000

/**
 * The process that wrote an event publishes it, and clears it from its document once the broker has confirmed. After a crash, an
 * absence of the broker or a failed clear, the event is still in the document, and the sweep of any replica publishes it.
 * No lease keeps two replicas from publishing the same event: consumers deduplicate by its id.
 */
export function createOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const settings: RelaySettings = { ...RELAY_DEFAULTS, ...options }
  const { collection, publisher, now, log, maxQueued, maxUnpublished, sweepLimit } = settings
  const backlog = new Backlog()
  const counts = { published: 0, failed: 0, leftToSweep: 0 }
  const clear = createClearBatcher(settings)
  /** Whether an event is cleared without waiting for others: a sweep waits for its clears, and an old event could be found by the sweep of another replica. */
  const mustClearNow = ({ entry }: PublishedEvent): boolean =>
    stopping || isMaybePublished(entry) || now().getTime() - entry.at.getTime() >= settings.sweepAfterMs / 2
  const events = publishAndClear(settings, { backlog, counts, clear, mustClearNow })
  const sweep = createSweep(settings, events, backlog)
  /** While the broker is away: documents with unpublished events, as last counted plus those submitted since. */
  let unpublished = 0
  /** While the broker is away: when the oldest event that was left to the sweep happened. */
  let oldestLeftMs = Infinity
  let stopping = false
  let worker: Stoppable | undefined

  /** True when there may be more to do at once. */
  async function step(): Promise<boolean> {
    if (stopping) return false
    if (publisher.state === 'up') {
      // The sweep passes over events that are queued or in flight here, so those have to go on first.
      events.resume()
      return (await sweep(sweepLimit)).more
    }
    unpublished = await countUnpublished(collection, maxUnpublished + 1)
    return false
  }

  async function drain(): Promise<void> {
    while (await step().catch((error: unknown) => log.error('outbox sweep failed', { error: describeError(error) })));
  }

  const unwatch = publisher.onStateChange((state) => {
    unpublished = 0
    if (state !== 'up') return
    oldestLeftMs = Infinity
    events.resume()
    if (worker) void drain()
  })

  return {
    submit(documentId, entries) {
      const leave = stopping || publisher.state !== 'up'
      for (const entry of entries) {
        if (!leave && events.queued < maxQueued) {
          void events.add(documentId, entry)
          continue
        }
        counts.leftToSweep += 1
        unpublished += 1
        if (publisher.state !== 'up') oldestLeftMs = Math.min(oldestLeftMs, entry.at.getTime())
      }
    },
    sweepOnce: async (limit = sweepLimit) => (publisher.state === 'up' ? (await sweep(limit)).published : 0),
    pressure() {
      const over = publisher.state === 'up' ? now().getTime() - backlog.oldestMs() > MAX_AGE_MS : unpublished > maxUnpublished
      return over ? 'backlog' : 'ok'
    },
    stats: () => ({
      ...counts,
      queued: events.queued,
      inMemory: events.size,
      oldestUnpublishedAgeMs: Math.max(0, now().getTime() - Math.min(backlog.oldestMs(), oldestLeftMs)),
    }),
    start() {
      worker ??= startWorker({ name: 'outbox relay', log, step, idleMs: settings.sweepPauseMs })
    },
    async stop({ deadlineMs }) {
      stopping = true
      unwatch()
      clear.flush()
      const ended = Promise.all([worker?.stop(deadlineMs), events.finish()]).then(() => true)
      return Promise.race([ended, sleep(deadlineMs, false, { ref: false })])
    },
  }
}

/** No caller waits for a clear, and clearing two hundred events in one command costs little more than clearing one. */
function createClearBatcher(settings: RelaySettings): Batcher<PublishedEvent, undefined> {
  return createBatcher({
    maxBatchSize: settings.clearBatchSize,
    maxDelayMs: settings.clearDelayMs,
    maxQueued: settings.maxQueued + settings.maxInFlight,
    run: (published) => clearPublished(settings.collection, published),
  })
}

interface Parts {
  readonly backlog: Backlog
  readonly counts: { published: number; failed: number }
  readonly clear: Batcher<PublishedEvent, undefined>
  readonly mustClearNow: (published: PublishedEvent) => boolean
}

function publishAndClear(settings: RelaySettings, { backlog, counts, clear, mustClearNow }: Parts): EventPublisher {
  return new EventPublisher({
    ...settings,
    backlog,
    clear: async (published) => {
      counts.published += 1
      await clear(published, { immediate: mustClearNow(published) })
    },
    onFailure: (entry, error) => {
      counts.failed += 1
      // The connection logs the absence of the broker once; a line for each event would only repeat it.
      if (!(error instanceof BrokerUnavailable))
        settings.log.warn('publish failed, event kept in outbox', {
          eventId: entry.id,
          correlation_id: entry.correlation_id,
          error: describeError(error),
        })
    },
  })
}
