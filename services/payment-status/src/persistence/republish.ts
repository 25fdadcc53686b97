import type { Connection } from 'mongoose'
import { firstTransactionIdAt } from '@gateway/contracts'
import { putBackEvents, toEntry, type PutBack } from '@gateway/outbox'
import { driverCollection } from '@gateway/service-kit'
import { pastEvents } from '../domain/past-events.ts'
import type { TransactionDocument } from './transaction-model.ts'

const PAGE = 500

/** After so long no status changes any more: a day for the enquiries, an hour for the order, and some. */
const CHANGES_WITHIN_MS = 2 * 24 * 60 * 60 * 1000

/** Puts the events of every status change since an instant back into their outboxes; resolves to their number. */
export function republishChanges(connection: Connection, since: Date, onWait: () => void): Promise<number> {
  const collection = driverCollection<TransactionDocument>(connection, 'transactions')

  async function* changes(): AsyncGenerator<PutBack> {
    let after = firstTransactionIdAt(new Date(Math.max(0, since.getTime() - CHANGES_WITHIN_MS)))
    for (;;) {
      const page = await collection
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(PAGE)
        .toArray()
      for (const document of page) yield changesOf(document, since)
      after = page.at(-1)?._id ?? after
      if (page.length < PAGE) return
    }
  }
  return putBackEvents(collection, changes(), { now: () => new Date(), onWait })
}

function changesOf({ _id: id, transitions = [], ...fields }: TransactionDocument, since: Date): PutBack {
  const times = new Map(transitions.map(({ sequence, at }) => [sequence, at]))
  const timeOf = (sequence: number): Date => times.get(sequence) ?? fields.finalAt ?? fields.updatedAt
  const wanted = pastEvents({ id, ...fields }, timeOf).filter(({ data }) => timeOf(data.sequence) >= since)
  return { documentId: id, entries: wanted.map(toEntry) }
}
