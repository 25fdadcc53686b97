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
  /** The broker is there: what waits is published; what may not have reached it is sent again a second later, as maybe published. */
  resume(): void
  /** For the end: what waits is tried at once, whether the broker is there or not. Resolves when there is nothing left. */
  finish(): Promise<void>
}

interface Item {
  readonly documentId: string
  readonly entry: OutboxEntry
  readonly end: (published: boolean) => void
}

/** From so many on nobody lingers. */
const ENOUGH = 8
/** What did reach the broker has been handled by then, and whoever gets it a second time can see that; far below the sweep's time. */
const RESEND_AFTER_MS = 1000

export function createPump(options: PumpOptions): Pump {
  const { publisher, maxInFlight, backlog, lingerMs } = options
  let waiting: Item[] = []
  const unsure = createUnsure((items) => {
    waiting = [...items, ...waiting]
    startWaiting()
  })
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
    // A sweep would send it seconds later, and until then nothing new could be taken. Once: what fails again is the sweep's.
    else if (failure.error instanceof BrokerUnavailable && !entry.claim_first && !finishing)
      unsure.push({ ...item, entry: { ...entry, claim_first: true } })
    else leaveToSweep(item, failure.error, options)
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

  return {
    add(documentId, entry) {
      const known = busy.get(entry.id)
      if (known) return known
      backlog.hold(entry.id, entry.at.getTime())
      const { promise: done, resolve } = Promise.withResolvers<boolean>()
      busy.set(entry.id, done)
      const end = (published: boolean): void => {
        busy.delete(entry.id)
        resolve(published)
      }
      waiting.push({ documentId, entry, end })
      // What a sweep found has waited long enough.
      const lingers = lingerMs > 0 && waiting.length < ENOUGH && inFlight < maxInFlight && !entry.claim_first
      if (!lingers) startWaiting()
      else lingering ??= setTimeout(startWaiting, lingerMs)
      return done
    },
    has: (entryId) => busy.has(entryId),
    get waiting() {
      return waiting.length + unsure.count
    },
    get size() {
      return busy.size
    },
    resume() {
      startWaiting()
      unsure.releaseSoon(() => publisher.state === 'up')
    },
    async finish() {
      finishing = true
      unsure.release()
      startWaiting()
      while (busy.size > 0) await Promise.all(busy.values())
    },
  }
}

/** What was sent before the broker left without having confirmed. */
function createUnsure(handOver: (items: readonly Item[]) => void) {
  let items: Item[] = []
  let timer: NodeJS.Timeout | undefined

  function release(): void {
    clearTimeout(timer)
    timer = undefined
    const released = items
    items = []
    if (released.length > 0) handOver(released)
  }

  return {
    get count() {
      return items.length
    },
    push: (item: Item) => void items.push(item),
    release,
    /** In a second; should the broker be away once more by then, the next time that it is back. */
    releaseSoon(isUp: () => boolean): void {
      if (items.length === 0) return
      timer ??= setTimeout(() => {
        timer = undefined
        if (isUp()) release()
      }, RESEND_AFTER_MS)
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

function leaveToSweep({ entry, end }: Item, error: unknown, { backlog, onFailure }: PumpOptions): void {
  backlog.fail(entry.id)
  onFailure(entry, error)
  end(false)
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
 * not sent before. What a sweep has found, or was sent again, is left to the next sweep.
 */
function takeNext(waiting: Item[], canBeSent: boolean): Item | undefined {
  if (canBeSent) return waiting.shift()
  const index = waiting.findIndex(({ entry }) => entry.claim_first)
  return index < 0 ? undefined : waiting.splice(index, 1)[0]
}
