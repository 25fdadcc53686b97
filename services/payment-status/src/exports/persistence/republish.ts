import type { Connection } from 'mongoose'
import { firstTransactionIdAt } from '@gateway/contracts'
import { putBackEvents, toEntry, type PutBack } from '@gateway/outbox'
import { driverCollection, pagesById, PRESENT } from '@gateway/service-kit/mongo'
import { pastEvents, pastMoneyEvents } from '../domain/past-events.ts'
import { publishedEvents, toTransaction, type TransactionDocument, transactionModel } from '../../payments/index.ts'

/** Documents per read: of ids and times, few of which may have changed; and of whole transactions. */
const IDS_PER_PAGE = 5000
const TRANSACTIONS_PER_READ = 500

/**
 * How old a transaction can be whose status still changes or whose reversal ends: days of enquiries and requests, and any time
 * without a running replica. Refunds come much later, so transactions with refunds are found by an index of their own.
 */
const CHANGES_WITHIN_MS = 30 * 24 * 60 * 60 * 1000

/** How far the clocks of replicas may differ: their times of one transaction are compared here. */
const CLOCK_SKEW_MS = 60_000

/**
 * Puts the events of every status change since an instant, also of refunds and reversals, back into their outboxes, from where
 * running replicas publish them. Resolves to the number of events. `onWait` is called when it waits for replicas to publish.
 */
export function republishChanges(connection: Connection, since: Date, onWait: () => void): Promise<number> {
  const model = transactionModel(connection)
  // Pages and outboxes are shared with other services, on the driver's cursors and bulk writes.
  const collection = driverCollection<TransactionDocument>(connection, model.collection.name)
  const now = (): Date => new Date()
  const touchedSince = new Date(since.getTime() - CLOCK_SKEW_MS)

  async function* changes(): AsyncGenerator<PutBack> {
    for await (const ids of allTouched()) {
      for (let from = 0; from < ids.length; from += TRANSACTIONS_PER_READ) {
        const $in = ids.slice(from, from + TRANSACTIONS_PER_READ)
        for (const document of await model.find({ _id: { $in } }).lean<TransactionDocument[]>()) yield putBackOf(document, since)
      }
    }
  }

  const firstId = firstTransactionIdAt(new Date(Math.max(0, since.getTime() - CHANGES_WITHIN_MS)))

  async function* allTouched(): AsyncGenerator<string[]> {
    yield* touched()
    yield* olderRefunded()
  }

  async function* touched(): AsyncGenerator<string[]> {
    // A transaction opened from now on is published by the replica that opens it; without this bound the loop might not end.
    const $lt = firstTransactionIdAt(now())
    const first = { $gte: firstId }
    const find = (after: string | undefined) =>
      collection.find({ _id: { ...(after === undefined ? first : { $gt: after }), $lt } }, { projection: { updated_at: 1 } })
    for await (const page of pagesById(IDS_PER_PAGE, find))
      yield page.filter(({ updated_at }) => updated_at >= touchedSince).map(({ _id }) => _id)
  }

  /** A transaction that changes meanwhile moves to a later page, so none is missed; some are met twice. */
  async function* olderRefunded(): AsyncGenerator<string[]> {
    for (let [from, met] = [touchedSince, [] as string[]]; ;) {
      const refunded = { refunds: PRESENT, updated_at: { $gte: from }, _id: { $nin: met } }
      const fields = { projection: { updated_at: 1 } }
      const page = await collection.find(refunded, fields).sort({ updated_at: 1 }).limit(IDS_PER_PAGE).toArray()
      yield page.map(({ _id }) => _id).filter((id) => id < firstId)
      const last = page.at(-1)?.updated_at
      if (!last || page.length < IDS_PER_PAGE) return
      const ofLast = page.filter(({ updated_at }) => updated_at.getTime() === last.getTime()).map(({ _id }) => _id)
      ;[from, met] = [last, last > from ? ofLast : [...met, ...ofLast]]
    }
  }

  return putBackEvents(collection, changes(), { now, onWait })
}

function putBackOf(document: TransactionDocument, since: Date): PutBack {
  const transaction = toTransaction(document)
  const isSince = ({ occurred_at: at }: { readonly occurred_at: string }): boolean => new Date(at) >= since
  const [events, moneyEvents] = [pastEvents(transaction).filter(isSince), pastMoneyEvents(transaction).filter(isSince)]
  return { documentId: transaction.id, entries: publishedEvents({ transaction, events, moneyEvents }).map(toEntry) }
}
