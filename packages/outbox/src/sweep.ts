import type { Backlog } from './backlog.ts'
import { findUnpublished } from './documents.ts'
import { asMaybePublished, type OutboxEntry } from './entry.ts'
import type { EventPublisher } from './event-publisher.ts'
import type { RelaySettings } from './relay-options.ts'

interface SweepStep {
  readonly published: number
  /** Whether the next step may find more without a pause. */
  readonly more: boolean
}

/** Documents that one pass skips because their events could not be published; without a skip they would block the others. */
const MAX_STUCK = 1_000

/** Each call is one bounded step of a pass over the unpublished events; concurrent calls share a step. */
export function createSweep(
  { collection, now, sweepAfterMs }: RelaySettings,
  events: EventPublisher,
  backlog: Backlog,
): (limit: number) => Promise<SweepStep> {
  const stuck = new Map<string, OutboxEntry[]>()
  let current: Promise<SweepStep> | undefined

  async function step(limit: number): Promise<SweepStep> {
    const cutoff = new Date(now().getTime() - sweepAfterMs)
    const documents = await findUnpublished(collection, { cutoff, exceptIds: [...stuck.keys()], limit })
    let [published, failed] = [0, 0]
    await Promise.all(
      documents.map(async ({ _id, outbox }) => {
        // Events that this process is publishing anyway need no repair.
        const old = outbox.filter(({ at, id }) => at <= cutoff && !events.has(id))
        for (const { at } of old) backlog.noteFound(at.getTime())
        // The process that wrote it may have died between publishing and clearing.
        const done = await Promise.all(old.map((entry) => events.add(_id, asMaybePublished(entry))))
        published += done.filter(Boolean).length
        if (!done.includes(false)) return
        failed += 1
        stuck.set(_id, old)
      }),
    )
    const more = documents.length >= limit && published + failed > 0 && stuck.size < MAX_STUCK
    if (!more) endPass(cutoff, documents.length < limit)
    return { published, more }
  }

  function endPass(cutoff: Date, complete: boolean): void {
    const times = [...stuck.values()].flat().map(({ at }) => at.getTime())
    const left = times.length > 0 ? { oldestMs: Math.min(...times), newestMs: Math.max(...times) } : undefined
    backlog.swept({ cutoffMs: cutoff.getTime(), complete, left })
    stuck.clear()
  }

  return (limit) => (current ??= step(limit).finally(() => (current = undefined)))
}
