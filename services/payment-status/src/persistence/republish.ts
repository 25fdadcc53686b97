import type { Connection } from 'mongoose'
import { firstTransactionIdAt } from '@gateway/contracts'
import { putBackEvents, toEntry, type PutBack } from '@gateway/outbox'
import { driverCollection, pagesById } from '@gateway/service-kit/mongo'
import { pastEvents } from '../domain/past-events.ts'
import type { TransactionDocument } from './transaction-model.ts'

/** Of ids and times, since few of so many may have changed; and of whole transactions. */
const PAGE = 5000
const AT_ONCE = 500

/** So old may a transaction be whose status still changes: a day of enquiries, and as long as nobody made them. */
const CHANGES_WITHIN_MS = 30 * 24 * 60 * 60 * 1000

/** Between the clocks of replicas, whose times of the same transaction are compared here. */
const CLOCKS_DIFFER_MS = 60_000

/** Puts the events of every status change since an instant back into their outboxes; resolves to their number. */
export function republishChanges(connection: Connection, since: Date, onWait: () => void): Promise<number> {
  const collection = driverCollection<TransactionDocument>(connection, 'transactions')
  const now = (): Date => new Date()
  const touchedSince = new Date(since.getTime() - CLOCKS_DIFFER_MS)

  async function* changes(): AsyncGenerator<PutBack> {
    for await (const ids of touched()) {
      for (let from = 0; from < ids.length; from += AT_ONCE) {
        const $in = ids.slice(from, from + AT_ONCE)
        for (const document of await collection.find({ _id: { $in } }).toArray()) yield changesOf(document, since)
      }
    }
  }

  async function* touched(): AsyncGenerator<string[]> {
    // What is opened from now on is published by whoever opens it; without this end there might be none.
    const $lt = firstTransactionIdAt(now())
    const first = { $gte: firstTransactionIdAt(new Date(Math.max(0, since.getTime() - CHANGES_WITHIN_MS))) }
    const find = (after: string | undefined) =>
      collection.find({ _id: { ...(after === undefined ? first : { $gt: after }), $lt } }, { projection: { updatedAt: 1 } })
    for await (const page of pagesById(PAGE, find))
      yield page.filter(({ updatedAt }) => updatedAt >= touchedSince).map(({ _id }) => _id)
  }
  return putBackEvents(collection, changes(), { now, onWait })
}

function changesOf({ _id: id, transitions = [], ...fields }: TransactionDocument, since: Date): PutBack {
  const times = new Map(transitions.map(({ sequence, at }) => [sequence, at]))
  const timeOf = (sequence: number): Date => times.get(sequence) ?? fields.finalAt ?? fields.updatedAt
  const wanted = pastEvents({ id, ...fields }, timeOf).filter(({ data }) => timeOf(data.sequence) >= since)
  return { documentId: id, entries: wanted.map(toEntry) }
}
