import { BrokerUnavailable, type Publisher } from '@gateway/messaging'
import type { Backlog } from './backlog.ts'
import { asMaybePublished, beginOutboxSpan, isMaybePublished, toMessage, type OutboxEntry } from './entry.ts'
import { createResendQueue } from './resend-queue.ts'

export interface EventPublisherOptions {
  readonly publisher: Publisher
  readonly exchange: string
  readonly maxInFlight: number
  readonly backlog: Backlog
  /** How long a new event waits for others, in milliseconds, so that they are published together; 0: not at all. */
  readonly publishDelayMs: number
  /** Takes a published event out of its document. */
  readonly clear: (published: PublishedEvent) => Promise<void>
  /** Called when a publish or a clear has failed: the event stays in its document. */
  readonly onFailure: (entry: OutboxEntry, error: unknown) => void
}

export interface PublishedEvent {
  readonly documentId: string
  readonly entry: Pick<OutboxEntry, 'id' | 'at' | 'maybe_published'>
}

/** Publishes events and clears them from their documents, many at once. */
export interface EventPublisher {
  /** Resolves to true when the event is published and cleared, to false when its document still has it. Never rejects. */
  add(documentId: string, entry: OutboxEntry): Promise<boolean>
  /** Whether the event is queued, in flight or being cleared. */
  has(entryId: string): boolean
  /** Events that are not in flight yet. */
  readonly queued: number
  /** Events that are queued, in flight or not yet cleared. */
  readonly size: number
  /** Call it when the broker is up. Queued events go at once; unconfirmed ones a second later, as maybe published. */
  resume(): void
  /** Publishes everything at once, whether the broker is up or not. Resolves when nothing is left. */
  finish(): Promise<void>
}

interface Item {
  readonly documentId: string
  readonly entry: OutboxEntry
  readonly end: (published: boolean) => void
}

/** With this many queued events, none waits for more. */
const PUBLISH_AT_SIZE = 8

/** The events are not batched into one message: published in one turn of the event loop, they share socket writes and wake-ups. */
export function createEventPublisher(options: EventPublisherOptions): EventPublisher {
  const { publisher, maxInFlight, backlog, publishDelayMs } = options
  let queue: Item[] = []
  const resends = createResendQueue<Item>((items) => {
    queue = [...items, ...queue]
    startQueued()
  })
  const known = new Map<string, Promise<boolean>>()
  let inFlight = 0
  let delay: NodeJS.Timeout | undefined
  let finishing = false

  async function send(item: Item): Promise<void> {
    const { entry } = item
    const failure = await publishOnce(entry, options)
    inFlight -= 1
    if (!delay) startQueued()
    if (!failure) item.end(await clearPublished(item, options))
    // Resent once, since the sweep would take seconds. What fails again is left to the sweep.
    else if (failure.error instanceof BrokerUnavailable && !isMaybePublished(entry) && !finishing)
      resends.push({ ...item, entry: asMaybePublished(entry) })
    else leaveToSweep(item, failure.error, options)
  }

  function startQueued(): void {
    clearTimeout(delay)
    delay = undefined
    while (inFlight < maxInFlight) {
      const item = takeNext(queue, publisher.state === 'up' || finishing)
      if (!item) return
      inFlight += 1
      void send(item)
    }
  }

  return {
    add(documentId, entry) {
      const current = known.get(entry.id)
      if (current) return current
      backlog.hold(entry.id, entry.at.getTime())
      const { promise: done, resolve } = Promise.withResolvers<boolean>()
      known.set(entry.id, done)
      const end = (published: boolean): void => {
        known.delete(entry.id)
        resolve(published)
      }
      queue.push({ documentId, entry, end })
      // An event that a sweep has found is late already.
      const mayWait = publishDelayMs > 0 && queue.length < PUBLISH_AT_SIZE && inFlight < maxInFlight && !isMaybePublished(entry)
      if (mayWait) delay ??= setTimeout(startQueued, publishDelayMs)
      else startQueued()
      return done
    },
    has: (entryId) => known.has(entryId),
    get queued() {
      return queue.length + resends.count
    },
    get size() {
      return known.size
    },
    resume() {
      startQueued()
      resends.releaseSoon(() => publisher.state === 'up')
    },
    async finish() {
      finishing = true
      resends.release()
      startQueued()
      while (known.size > 0) await Promise.all(known.values())
    },
  }
}

/** Resolves to the error, or to `undefined` when the event is published. */
async function publishOnce(
  entry: OutboxEntry,
  { publisher, exchange }: EventPublisherOptions,
): Promise<{ error: unknown } | undefined> {
  const span = beginOutboxSpan(entry)
  try {
    await publisher.publish(toMessage(exchange, entry, span))
    span?.end()
    return undefined
  } catch (error) {
    span?.end({ failed: true })
    return { error }
  }
}

function leaveToSweep({ entry, end }: Item, error: unknown, { backlog, onFailure }: EventPublisherOptions): void {
  backlog.fail(entry.id)
  onFailure(entry, error)
  end(false)
}

/** Resolves to false when the document still has the event. */
async function clearPublished(
  { documentId, entry }: Item,
  { backlog, clear, onFailure }: EventPublisherOptions,
): Promise<boolean> {
  backlog.publish(entry.id)
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
