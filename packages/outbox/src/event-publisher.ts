import { inPartition, partitionOf } from '@gateway/contracts'
import { BrokerUnavailable } from '@gateway/messaging'
import type { Backlog } from './backlog.ts'
import { asMaybePublished, beginOutboxSpan, isMaybePublished, toMessage, type OutboxEntry } from './entry.ts'
import type { RelaySettings } from './relay-options.ts'

type Settings = Pick<
  RelaySettings,
  'publisher' | 'exchange' | 'partitions' | 'maxInFlight' | 'publishDelayMs' | 'sweepAfterMs' | 'now'
>

export interface EventPublisherOptions extends Settings {
  readonly backlog: Backlog
  /** Takes a published event out of its document. */
  readonly clear: (published: PublishedEvent) => Promise<void>
  /** Called when a publish or a clear has failed: the event stays in its document. */
  readonly onFailure: (entry: OutboxEntry, error: unknown) => void
}

export interface PublishedEvent {
  readonly documentId: string
  readonly entry: Pick<OutboxEntry, 'id' | 'at' | 'maybe_published'>
}

interface Item {
  readonly documentId: string
  readonly entry: OutboxEntry
  readonly end: (published: boolean) => void
}

/** Events of one partition that wait for others. */
interface Batch {
  readonly items: Item[]
  readonly timer: NodeJS.Timeout
}

/** With this many events, a batch does not wait for more. */
const PUBLISH_AT_SIZE = 8

/** By then a message that did arrive has been handled, so its consumer recognises the second copy. Far below `sweepAfterMs`. */
const RESEND_AFTER_MS = 1000

/**
 * Publishes events and clears them from their documents, many at once. The events are not batched into one message: published in
 * one turn of the event loop, they share socket writes and wake-ups. Each partition has its own batch, whose events go to one queue.
 */
export class EventPublisher {
  readonly #options: EventPublisherOptions
  readonly #known = new Map<string, Promise<boolean>>()
  readonly #batches = new Map<number, Batch>()
  /** Events in all batches. */
  #batched = 0
  /** Events that wait for nothing but the broker and the limit in flight. */
  #queue: Item[] = []
  /** Events that were sent and not confirmed, because the broker left: they may or may not have arrived. */
  #unconfirmed: Item[] = []
  #inFlight = 0
  #resending: NodeJS.Timeout | undefined
  #finishing = false

  constructor(options: EventPublisherOptions) {
    this.#options = options
  }

  /** Events that are not in flight yet. */
  get queued(): number {
    return this.#batched + this.#queue.length + this.#unconfirmed.length
  }

  /** Events that are queued, in flight or not yet cleared. */
  get size(): number {
    return this.#known.size
  }

  /** Whether the event is queued, in flight or being cleared. */
  has(entryId: string): boolean {
    return this.#known.has(entryId)
  }

  /** Resolves to true when the event is published and cleared, to false when its document still has it. Never rejects. */
  add(documentId: string, entry: OutboxEntry): Promise<boolean> {
    const current = this.#known.get(entry.id)
    if (current) return current
    this.#options.backlog.hold(entry.id, entry.at.getTime())
    const { promise: done, resolve } = Promise.withResolvers<boolean>()
    this.#known.set(entry.id, done)
    const end = (published: boolean): void => {
      this.#known.delete(entry.id)
      resolve(published)
    }
    this.#accept({ documentId, entry, end })
    return done
  }

  #accept(item: Item): void {
    const { maxInFlight, publishDelayMs, partitions } = this.#options
    // An event that a sweep has found is late already.
    const mayWait = publishDelayMs > 0 && !isMaybePublished(item.entry) && this.#inFlight < maxInFlight
    if (mayWait) this.#addToBatch(partitionOf(item.entry, partitions()), item)
    else {
      this.#queue.push(item)
      this.#startQueued()
    }
  }

  #addToBatch(partition: number, item: Item): void {
    let batch = this.#batches.get(partition)
    if (!batch) {
      batch = { items: [], timer: setTimeout(() => this.#release(partition), this.#options.publishDelayMs) }
      this.#batches.set(partition, batch)
    }
    this.#batched += 1
    if (batch.items.push(item) >= PUBLISH_AT_SIZE) this.#release(partition)
  }

  /** The events of a batch wait no longer. */
  #release(partition: number): void {
    const batch = this.#batches.get(partition)
    if (!batch) return
    clearTimeout(batch.timer)
    this.#batches.delete(partition)
    this.#batched -= batch.items.length
    this.#queue.push(...batch.items)
    this.#startQueued()
  }

  /** Call it when the broker is up. Queued events go at once; unconfirmed ones a second later, as maybe published. */
  resume(): void {
    this.#releaseAll()
    if (this.#unconfirmed.length === 0) return
    this.#resending ??= setTimeout(() => {
      this.#resending = undefined
      if (this.#options.publisher.state === 'up') this.#resend()
    }, RESEND_AFTER_MS)
  }

  /** Publishes everything at once, whether the broker is up or not. Resolves when nothing is left. */
  async finish(): Promise<void> {
    this.#finishing = true
    clearTimeout(this.#resending)
    this.#resend()
    while (this.#known.size > 0) await Promise.all(this.#known.values())
  }

  #resend(): void {
    this.#queue = [...this.#unconfirmed, ...this.#queue]
    this.#unconfirmed = []
    this.#releaseAll()
  }

  #releaseAll(): void {
    for (const partition of this.#batches.keys()) this.#release(partition)
    this.#startQueued()
  }

  #startQueued(): void {
    const { publisher, maxInFlight } = this.#options
    while (this.#inFlight < maxInFlight) {
      const item = takeNext(this.#queue, publisher.state === 'up' || this.#finishing)
      if (!item) return
      this.#inFlight += 1
      void this.#send(item)
    }
  }

  async #send(queued: Item): Promise<void> {
    const item = this.#isSwept(queued.entry) ? { ...queued, entry: asMaybePublished(queued.entry) } : queued
    const { entry } = item
    const failure = await publishOnce(entry, this.#options)
    this.#inFlight -= 1
    this.#startQueued()
    if (!failure) item.end(await isCleared(item, this.#options))
    // Resent once, since the sweep would take seconds. What fails again is left to the sweep.
    else if (failure.error instanceof BrokerUnavailable && !isMaybePublished(queued.entry) && !this.#finishing)
      this.#unconfirmed.push({ ...item, entry: asMaybePublished(entry) })
    else leaveToSweep(item, failure.error, this.#options)
  }

  /** Whether the event waited here so long that the sweep of another replica may have found and published it. */
  #isSwept({ at }: OutboxEntry): boolean {
    const { now, sweepAfterMs } = this.#options
    return now().getTime() - at.getTime() >= sweepAfterMs
  }
}

/** Resolves to the error, or to `undefined` when the event is published. */
async function publishOnce(
  entry: OutboxEntry,
  { publisher, exchange, partitions }: EventPublisherOptions,
): Promise<{ error: unknown } | undefined> {
  const span = beginOutboxSpan(entry)
  const routingKey = inPartition(entry.type, partitionOf(entry, partitions()))
  try {
    await publisher.publish(toMessage({ exchange, routingKey }, entry, span))
    span?.end()
    return undefined
  } catch (error) {
    span?.end({ failed: true })
    return { error }
  }
}

function leaveToSweep({ entry, end }: Item, error: unknown, { backlog, onFailure }: EventPublisherOptions): void {
  backlog.noteFailed(entry.id)
  onFailure(entry, error)
  end(false)
}

/** Clears a published event from its document. Resolves to false when the document still has it. */
async function isCleared({ documentId, entry }: Item, { backlog, clear, onFailure }: EventPublisherOptions): Promise<boolean> {
  backlog.notePublished(entry.id)
  try {
    await clear({ documentId, entry })
    return true
  } catch (error) {
    onFailure(entry, error)
    return false
  }
}

/**
 * While the broker is away, events that were never sent stay in this queue: left to the sweep they would go later, and marked as
 * maybe published. Events that have this mark are taken: their publish fails at once, and a later sweep finds them again.
 */
function takeNext(queue: Item[], isBrokerUp: boolean): Item | undefined {
  if (isBrokerUp) return queue.shift()
  const index = queue.findIndex(({ entry }) => isMaybePublished(entry))
  return index < 0 ? undefined : queue.splice(index, 1)[0]
}
