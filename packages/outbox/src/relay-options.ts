import type { Publisher } from '@gateway/messaging'
import type { Log } from '@gateway/service-kit'
import type { OutboxCollection } from './documents.ts'
import type { OutboxEntry } from './entry.ts'

/** What a relay may be given otherwise. */
export const RELAY_DEFAULTS = {
  /** An unpublished event older than this is published by the first replica whose sweep finds it. */
  sweepAfterMs: 5_000,
  /** The pause between two sweeps that find nothing; jittered. */
  sweepPauseMs: 2_000,
  /** Documents of one sweep step. */
  sweepLimit: 500,
  /**
   * How long a new event waits for others of its partition, so that up to eight are published together (ADR 11). It saves a wake-up of the broker
   * and of the consumer for each event; it costs this delay, and leaves that much more to the sweep when the process is killed.
   * 0: publish at once, since somebody waits for the effect of the event.
   */
  publishDelayMs: 0,
  /** To how many partitions events are published; read for each event. */
  partitions: () => 1,
  /** Events cleared by one database command. */
  clearBatchSize: 200,
  /**
   * How long a published event waits for others to be cleared by one command (ADR 11); far below `sweepAfterMs`. A killed process
   * leaves that much to be published again, as maybe published.
   */
  clearDelayMs: 1_000,
  /** Unconfirmed events at once. */
  maxInFlight: 256,
  /** Submitted events kept in memory; above it they are left to the sweep. */
  maxQueued: 10_000,
  /** While the broker is away, `pressure()` reports a backlog above this many documents with unpublished events. */
  maxUnpublished: 100_000,
}

export interface OutboxRelayOptions extends Partial<typeof RELAY_DEFAULTS> {
  /** The documents that carry events; the collection needs `outboxIndex`. */
  readonly collection: OutboxCollection
  readonly publisher: Publisher
  readonly exchange: string
  readonly now: () => Date
  readonly log: Log
}

export type RelaySettings = Required<OutboxRelayOptions>

export interface RelayStats {
  readonly published: number
  /** Publishes and clears that failed; their events stay in their documents. */
  readonly failed: number
  /** Events that were not queued here: the broker was away, or `maxQueued` was reached. */
  readonly leftToSweep: number
  readonly queued: number
  /** Events that are queued, in flight or not yet cleared. */
  readonly inMemory: number
  readonly oldestUnpublishedAgeMs: number
}

/** Publishes events that were written into documents, at least once each. */
export interface OutboxRelay {
  /** Publishes events that were just written, in the background. Never throws and returns at once. */
  submit(documentId: string, entries: readonly OutboxEntry[]): void
  /** One bounded step of repair: finds old events, publishes and clears them. Resolves to the number of events. */
  sweepOnce(limit?: number): Promise<number>
  /** `backlog`: callers should refuse new work that makes events (design section 3, back-pressure). It ends by itself. */
  pressure(): 'ok' | 'backlog'
  stats(): RelayStats
  start(): void
  /** Stops sweeping, then publishes and clears what is in memory. Resolves to whether that was done before the deadline. */
  stop(options: { deadlineMs: number }): Promise<boolean>
}
