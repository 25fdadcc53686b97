import { BrokerUnavailable, type Publisher } from '@gateway/messaging'
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
  /** The broker is there: what waits is published, and what may not have reached it is sent again, as maybe sent. */
  resume(): void
  /** For the end: what waits is tried at once, whether the broker is there or not. Resolves when there is nothing left. */
  finish(): Promise<void>
}

interface Item {
  readonly documentId: string
  readonly entry: OutboxEntry
  /** A sweep has found it, and the next one will find it again. */
  readonly swept: boolean
  readonly end: (published: boolean) => void
}

/** From so many on nobody lingers. */
const ENOUGH = 8

export function createPump(options: PumpOptions): Pump {
  const { publisher, maxInFlight, backlog, lingerMs, onFailure } = options
  let waiting: Item[] = []
  /** Sent, and then the broker left without having confirmed. */
  let unsure: Item[] = []
  const busy = new Map<string, Promise<boolean>>()
  let inFlight = 0
  let lingering: NodeJS.Timeout | undefined
  let finishing = false

  async function send(item: Item): Promise<void> {
    const { entry } = item
    const failure = await publishOnce(entry, options)
    inFlight -= 1
    if (!lingering) startWaiting()
    if (!failure) item.end(await clearPublished(item, options))
    // A sweep would send it seconds later, and until then nothing new could be taken.
    else if (failure.error instanceof BrokerUnavailable && !item.swept && !finishing)
      unsure.push({ ...item, entry: { ...entry, claim_first: true } })
    else {
      backlog.fail(entry.id)
      onFailure(entry, failure.error)
      item.end(false)
    }
  }

  function startWaiting(): void {
    clearTimeout(lingering)
    lingering = undefined
    while (inFlight < maxInFlight) {
      const item = takeNext(waiting, publisher.state === 'up' || finishing)
      if (!item) return
      inFlight += 1
      void send(item)
    }
  }

  function resume(): void {
    waiting = [...unsure, ...waiting]
    unsure = []
    startWaiting()
  }

  return {
    add(documentId, entry) {
      const known = busy.get(entry.id)
      if (known) return known
      backlog.hold(entry.id, entry.at.getTime())
      const { promise: done, resolve } = Promise.withResolvers<boolean>()
      busy.set(entry.id, done)
      const swept = entry.claim_first === true
      const end = (published: boolean): void => {
        busy.delete(entry.id)
        resolve(published)
      }
      waiting.push({ documentId, entry, swept, end })
      // What a sweep found has waited long enough.
      const lingers = lingerMs > 0 && waiting.length < ENOUGH && inFlight < maxInFlight && !swept
      if (!lingers) startWaiting()
      else lingering ??= setTimeout(startWaiting, lingerMs)
      return done
    },
    has: (entryId) => busy.has(entryId),
    get waiting() {
      return waiting.length + unsure.length
    },
    get size() {
      return busy.size
    },
    resume,
    async finish() {
      finishing = true
      resume()
      while (busy.size > 0) await Promise.all(busy.values())
    },
  }
}

/** Why it failed, or `undefined`. */
async function publishOnce(entry: OutboxEntry, { publisher, exchange }: PumpOptions): Promise<{ error: unknown } | undefined> {
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

/** False when its document still has it. */
async function clearPublished({ documentId, entry }: Item, { backlog, clear, onFailure }: PumpOptions): Promise<boolean> {
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
 * While the broker is away, what was never sent waits for it: a sweep would send it seconds later, and could not know that it was
 * not sent before. What a sweep has found is left to the next sweep.
 */
function takeNext(waiting: Item[], canBeSent: boolean): Item | undefined {
  if (canBeSent) return waiting.shift()
  const index = waiting.findIndex(({ swept }) => swept)
  return index < 0 ? undefined : waiting.splice(index, 1)[0]
}
