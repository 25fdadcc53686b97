import type { Publisher } from '@gateway/messaging'
import type { Backlog } from './backlog.ts'
import { beginOutboxSpan, toMessage, type OutboxEntry } from './entry.ts'

export interface PumpOptions {
  readonly publisher: Publisher
  readonly exchange: string
  readonly maxInFlight: number
  readonly backlog: Backlog
  /** How long a new event waits for others to be published with, in milliseconds, while there are few; 0: it does not. */
  readonly lingerMs: number
  /** Takes a published event out of its document. */
  readonly clear: (sent: Sent) => Promise<void>
  /** Told of a failed publish or clear: the event stays in its document. */
  readonly onFailure: (entry: OutboxEntry, error: unknown) => void
}

export interface Sent {
  readonly documentId: string
  readonly entry: Pick<OutboxEntry, 'id' | 'at' | 'claim_first'>
}

/** Publishes and clears events, many at once. */
export interface Pump {
  /** True when the event is published and cleared, false when its document still has it. Never rejects. */
  add(documentId: string, entry: OutboxEntry): Promise<boolean>
  /** Whether the event is being published or cleared just now. */
  has(entryId: string): boolean
  readonly waiting: number
  /** Waiting, in flight, or not yet cleared. */
  readonly size: number
  /** The broker is back: what waits is published. */
  resume(): void
  /** For the end: what waits is tried at once, whether the broker is there or not. Resolves when there is nothing left. */
  finish(): Promise<void>
}

interface Item {
  readonly documentId: string
  readonly entry: OutboxEntry
  readonly start: () => void
}

/** From so many on nobody lingers. */
const ENOUGH = 8

export function createPump(options: PumpOptions): Pump {
  const { publisher, exchange, maxInFlight, backlog, lingerMs, clear, onFailure } = options
  const waiting: Item[] = []
  const busy = new Map<string, Promise<boolean>>()
  let inFlight = 0
  let lingering: NodeJS.Timeout | undefined
  let finishing = false

  async function publishAndClear(documentId: string, entry: OutboxEntry): Promise<boolean> {
    const span = beginOutboxSpan(entry)
    try {
      await publisher.publish(toMessage(exchange, entry, span)).finally(next)
      span?.end()
    } catch (error) {
      span?.end({ failed: true })
      backlog.fail(entry.id)
      onFailure(entry, error)
      return false
    }
    backlog.publish(entry.id)
    try {
      await clear({ documentId, entry })
      return true
    } catch (error) {
      onFailure(entry, error)
      return false
    }
  }

  /** A place in flight is free. */
  function next(): void {
    inFlight -= 1
    if (!lingering) startWaiting()
  }

  function startWaiting(): void {
    clearTimeout(lingering)
    lingering = undefined
    while (inFlight < maxInFlight) {
      const item = takeNext(waiting, publisher.state === 'up' || finishing)
      if (!item) return
      inFlight += 1
      item.start()
    }
  }

  return {
    add(documentId, entry) {
      const known = busy.get(entry.id)
      if (known) return known
      backlog.hold(entry.id, entry.at.getTime())
      const started = new Promise<void>((start) => waiting.push({ documentId, entry, start }))
      const done = started.then(() => publishAndClear(documentId, entry)).finally(() => busy.delete(entry.id))
      busy.set(entry.id, done)
      // What a sweep found has waited long enough.
      const lingers = lingerMs > 0 && waiting.length < ENOUGH && inFlight < maxInFlight && !entry.claim_first
      if (!lingers) startWaiting()
      else lingering ??= setTimeout(startWaiting, lingerMs)
      return done
    },
    has: (entryId) => busy.has(entryId),
    get waiting() {
      return waiting.length
    },
    get size() {
      return busy.size
    },
    resume: startWaiting,
    async finish() {
      finishing = true
      startWaiting()
      while (busy.size > 0) await Promise.all(busy.values())
    },
  }
}

/**
 * While the broker is away, what was never sent waits for it: a sweep would send it seconds later, and could not know that it was
 * not sent before. What a sweep has found is left to the next sweep.
 */
function takeNext(waiting: Item[], canBeSent: boolean): Item | undefined {
  if (canBeSent) return waiting.shift()
  const swept = waiting.findIndex(({ entry }) => entry.claim_first)
  return swept < 0 ? undefined : waiting.splice(swept, 1)[0]
}
