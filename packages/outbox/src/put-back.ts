import { setTimeout as sleep } from 'node:timers/promises'
import type { OutboxCollection } from './documents.ts'
import { countUnpublished } from './documents.ts'
import type { OutboxEntry } from './entry.ts'

/** Events that a document has had, to be published once more. */
export interface PutBack {
  readonly documentId: string
  readonly entries: readonly OutboxEntry[]
}

/** What of a driver collection is called here. */
export interface PutBackCollection extends OutboxCollection {
  updateOne(filter: object, update: object): Promise<{ readonly modifiedCount: number }>
}

const WAITING_AT_MOST = 1000
const LOOK_EVERY_MS = 250

/**
 * Puts events back into the outboxes of their documents, from where the running replicas publish them as their own; consumers
 * know them by their ids. Those that wait there already are left alone, and no more than a thousand documents wait at once.
 * Resolves to the number of events.
 */
export async function putBackEvents(
  collection: PutBackCollection,
  source: AsyncIterable<PutBack>,
  options: { readonly now: () => Date; readonly onWait: () => void; readonly waitingAtMost?: number },
): Promise<number> {
  const { now, onWait, waitingAtMost = WAITING_AT_MOST } = options
  let [count, sinceLook] = [0, 0]
  for await (const { documentId, entries } of source) {
    if (sinceLook >= waitingAtMost / 2) {
      await untilFewWait(collection, waitingAtMost / 2, onWait)
      sinceLook = 0
    }
    sinceLook += 1
    for (const entry of entries) {
      // As old as it is now: its age in the outbox is what back-pressure looks at.
      const change = { $push: { outbox: { ...entry, at: now() } } }
      const { modifiedCount } = await collection.updateOne({ _id: documentId, 'outbox.id': { $ne: entry.id } }, change)
      count += modifiedCount
    }
  }
  return count
}

async function untilFewWait(collection: PutBackCollection, few: number, onWait: () => void): Promise<void> {
  for (let told = false; (await countUnpublished(collection, few)) >= few; told = true) {
    if (!told) onWait()
    await sleep(LOOK_EVERY_MS)
  }
}
