import { setTimeout as sleep } from 'node:timers/promises'
import { BrokerUnavailable } from '@gateway/messaging'
import { createBatcher, describeError, startWorker, type Batcher, type Stoppable } from '@gateway/service-kit'
import { Backlog } from './backlog.ts'
import { clearSent, countUnpublished } from './documents.ts'
import { createPump, type Pump, type Sent } from './pump.ts'
import { RELAY_DEFAULTS, type OutboxRelay, type OutboxRelayOptions } from './relay-options.ts'
import { createSweep } from './sweep.ts'

/** Back-pressure begins when an event waits longer than this while the broker is up (design section 3). */
const MAX_AGE_MS = 2_000

type Settings = typeof RELAY_DEFAULTS & OutboxRelayOptions

/**
 * The writer of an event publishes it, at once or after `publishAfterMs`, and takes it out of its document when the broker has
 * confirmed. Whatever is lost on the way (a crash, a broker that is away, a failed clear) is still in the document, and every
 * replica sweeps.
 * No lease keeps two from publishing the same event: consumers know it by its id.
 */
export function createOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const settings: Settings = { ...RELAY_DEFAULTS, ...options }
  const { collection, publisher, now, log, maxWaiting, maxUnpublished, sweepLimit } = settings
  const backlog = new Backlog()
  const counts = { published: 0, failed: 0, leftToSweep: 0 }
  const clear = gatherClears(settings)
  // What a sweep waits for; and what every replica's sweep may find, so that another one would publish it again.
  const isUrgent = ({ entry }: Sent): boolean =>
    stopping || entry.claim_first === true || now().getTime() - entry.at.getTime() >= settings.sweepAfterMs / 2
  const pump = publishAndClear(settings, { backlog, counts, clear, isUrgent })
  const sweep = createSweep({ collection, pump, backlog, now, sweepAfterMs: settings.sweepAfterMs })
  /** Documents with unpublished events while the broker is away: as counted last, and what was added since. */
  let unpublished = 0
  /** When the oldest event happened that was left to the sweep since the broker went. */
  let oldestLeftMs = Infinity
  let stopping = false
  let worker: Stoppable | undefined

  /** True when there may be more to do at once. */
  async function step(): Promise<boolean> {
    if (stopping) return false
    if (publisher.state === 'up') {
      // A sweep leaves what the pump has to the pump.
      pump.resume()
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
    pump.resume()
    if (worker) void drain()
  })

  return {
    submit(documentId, entries) {
      const leave = stopping || publisher.state !== 'up'
      for (const entry of entries) {
        if (!leave && pump.waiting < maxWaiting) {
          void pump.add(documentId, entry)
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
      waiting: pump.waiting,
      inMemory: pump.size,
      oldestUnpublishedAgeMs: Math.max(0, now().getTime() - Math.min(backlog.oldestMs(), oldestLeftMs)),
    }),
    start() {
      worker ??= startWorker({ name: 'outbox relay', log, step, idleMs: settings.pollEveryMs, random: settings.random })
    },
    async stop({ deadlineMs }) {
      stopping = true
      unwatch()
      clear.flush()
      const ended = Promise.all([worker?.stop(deadlineMs), pump.finish()]).then(() => true)
      return Promise.race([ended, sleep(deadlineMs, false, { ref: false })])
    },
  }
}

/** Clears gather, also at low load: nobody waits for them, and one write takes out two hundred events nearly at the cost of one. */
function gatherClears(settings: Settings): Batcher<Sent, undefined> {
  return createBatcher({
    maxBatchSize: settings.clearBatchSize,
    maxDelayMs: settings.clearAfterMs,
    maxQueued: settings.maxWaiting + settings.maxInFlight,
    run: (sent) => clearSent(settings.collection, sent),
  })
}

interface Relayed {
  readonly backlog: Backlog
  readonly counts: { published: number; failed: number }
  readonly clear: Batcher<Sent, undefined>
  /** Whether this one must not linger. */
  readonly isUrgent: (sent: Sent) => boolean
}

function publishAndClear(settings: Settings, { backlog, counts, clear, isUrgent }: Relayed): Pump {
  return createPump({
    publisher: settings.publisher,
    exchange: settings.exchange,
    maxInFlight: settings.maxInFlight,
    lingerMs: settings.publishAfterMs,
    backlog,
    clear: async (sent) => {
      counts.published += 1
      await clear(sent, { immediate: isUrgent(sent) })
    },
    onFailure: (entry, error) => {
      counts.failed += 1
      // The broker's absence is logged once, by its connection.
      if (!(error instanceof BrokerUnavailable))
        settings.log.warn('event stays in its outbox', {
          eventId: entry.id,
          correlation_id: entry.correlation_id,
          error: describeError(error),
        })
    },
  })
}
