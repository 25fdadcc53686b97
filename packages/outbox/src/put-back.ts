import { setTimeout as sleep } from 'node:timers/promises'
import { ownSlotOf } from '@gateway/contracts'
import { retryDeadlocks } from '@gateway/service-kit/mongo'
import type { OutboxCollection } from './documents.ts'
import { countPutBack } from './documents.ts'
import { asMaybePublished, type OutboxEntry } from './entry.ts'
import { RELAY_DEFAULTS } from './relay-options.ts'

/** Events of a document that are to be published again. */
export interface PutBack {
  readonly documentId: string
  readonly entries: readonly OutboxEntry[]
}

/** The methods of a driver collection that are called here. */
export interface PutBackCollection extends OutboxCollection {
  bulkWrite(operations: PutBackUpdate[], options: { ordered: boolean }): Promise<{ readonly modifiedCount: number }>
}

interface PutBackUpdate {
  readonly updateOne: { readonly filter: object; readonly update: object }
}

const WAITING_AT_MOST = 1000
const WRITTEN_AT_ONCE = 100
const LOOK_EVERY_MS = 250

/**
 * Puts events back into the outboxes of their documents, marked as maybe published. The sweeps of the running replicas publish
 * them; consumers deduplicate by their ids. An event that is still in its outbox is skipped. At most `waitingAtMost` documents
 * wait at a time. Resolves to the number of events put back.
 */
export async function putBackEvents(
  collection: PutBackCollection,
  source: AsyncIterable<PutBack>,
  options: { readonly now: () => Date; readonly onWait: () => void; readonly waitingAtMost?: number },
): Promise<number> {
  const { now, onWait, waitingAtMost = WAITING_AT_MOST } = options
  const half = waitingAtMost / 2
  let [count, sinceLook, batch] = [0, 0, [] as PutBack[]]
  async function flush(): Promise<void> {
    if (batch.length === 0) return
    if (sinceLook + batch.length > half) {
      await untilFewWait(collection, half, onWait)
      sinceLook = 0
    }
    // Old enough for the next sweep.
    const at = new Date(now().getTime() - RELAY_DEFAULTS.sweepAfterMs)
    const updates = batch.flatMap((one) => updatesOf(one, at))
    count += (await retryDeadlocks(() => collection.bulkWrite(updates, { ordered: true }))).modifiedCount
    sinceLook += batch.length
    batch = []
  }
  for await (const one of source) {
    if (one.entries.length > 0) batch.push(one)
    if (batch.length >= Math.min(WRITTEN_AT_ONCE, half)) await flush()
  }
  await flush()
  return count
}

function updatesOf({ documentId, entries }: PutBack, at: Date): PutBackUpdate[] {
  return entries.map((entry) => ({
    updateOne: {
      filter: { _id: documentId, slot: ownSlotOf(entry.id), 'outbox.id': { $ne: entry.id } },
      update: { $push: { outbox: asMaybePublished({ ...entry, at }) } },
    },
  }))
}

async function untilFewWait(collection: PutBackCollection, few: number, onWait: () => void): Promise<void> {
  for (let told = false; (await countPutBack(collection, few)) >= few; told = true) {
    if (!told) onWait()
    await sleep(LOOK_EVERY_MS)
  }
}
