import type { Publisher } from '@gateway/messaging'
import type { Log } from '@gateway/service-kit'
import type { OutboxCollection } from './documents.ts'
import type { OutboxEntry } from './entry.ts'

export interface OutboxRelayOptions {
  /** Whose documents carry the outbox; it needs `outboxIndex`. */
  readonly collection: OutboxCollection
  readonly publisher: Publisher
  readonly exchange: string
  readonly now: () => Date
  readonly log: Log
  /** An event older than this is published by whoever finds it. */
  readonly sweepAfterMs?: number
  /** The pause between two sweeps that find nothing; jittered. */
  readonly pollEveryMs?: number
  /** Documents of one sweep step. */
  readonly sweepLimit?: number
  /**
   * How long a new event waits for others to be published with, while there are few: for events that nobody waits for, each of which
   * alone wakes the broker and a consumer (docs/adr/0011).
   */
  readonly publishAfterMs?: number
  /** Events cleared by one write. */
  readonly clearBatchSize?: number
  /** How long a published event waits for others to be cleared with; far below `sweepAfterMs`. A crash meanwhile publishes it again. */
  readonly clearAfterMs?: number
  readonly maxInFlight?: number
  /** Events of `submit` kept in memory; what comes above that is left to the sweep. */
  readonly maxWaiting?: number
  /** Documents with unpublished events above which `pressure()` says so while the broker is away. */
  readonly maxUnpublished?: number
  readonly random?: () => number
}

export interface RelayStats {
  readonly published: number
  /** Publishes and clears that failed; their events stay in their documents. */
  readonly failed: number
  /** Events left to the sweep at once: the broker is away, or too many wait. */
  readonly leftToSweep: number
  readonly waiting: number
  readonly inMemory: number
  readonly oldestUnpublishedAgeMs: number
}

/** Publishes events that were written into documents, at least once each. */
export interface OutboxRelay {
  /** Publishes events that were just written, in the background. Never throws and never waits. */
  submit(documentId: string, entries: readonly OutboxEntry[]): void
  /** One bounded step of repair: finds documents with old events, publishes and clears them. Resolves with how many events. */
  sweepOnce(limit?: number): Promise<number>
  /** `backlog`: take no new work that makes events (design section 3, back-pressure). Ends by itself. */
  pressure(): 'ok' | 'backlog'
  stats(): RelayStats
  start(): void
  /** Ends the sweeping and waits until what is in memory is published and cleared, or the deadline. */
  stop(options: { deadlineMs: number }): Promise<boolean>
}

export const RELAY_DEFAULTS = {
  sweepAfterMs: 5_000,
  pollEveryMs: 2_000,
  sweepLimit: 500,
  publishAfterMs: 0,
  clearBatchSize: 200,
  clearAfterMs: 1_000,
  maxInFlight: 256,
  maxWaiting: 10_000,
  maxUnpublished: 100_000,
  random: Math.random,
}
