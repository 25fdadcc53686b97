import { randomBytes } from 'node:crypto'
import type { mongo } from 'mongoose'
import { orderKey } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { insertBatch } from '@gateway/service-kit/mongo'
import { toEntry, type OutboxRelay } from '@gateway/outbox'
import { nextDueAt } from '../domain/schedule.ts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import { SEARCH_BATCHES } from '../search-batches.ts'
import { waitsSince } from './overdue.ts'
import type { TransactionDocument } from './transaction-model.ts'

/** The transactions, each one document together with its unpublished events. */
export interface Transactions {
  find(id: string): Promise<Transaction | undefined>
  findByOrder(merchantId: string, orderId: string): Promise<Transaction | undefined>
  /**
   * Stores a new transaction with its first event; false when it is there already. Concurrent inserts go as one batch, and unless
   * one of them is urgent they wait a moment for others.
   */
  insert(decision: Decision, options: { readonly urgent: boolean }): Promise<boolean>
  /** What waits to be inserted is inserted now. */
  hurry(): void
  /** Saves state and events in one write; false when somebody else wrote first. */
  save(before: Transaction, decision: Decision): Promise<boolean>
  /** Takes up to `limit` transactions that are due, the longest due ones first; nobody else gets them before the lease ends. */
  claimDue(now: Date, leaseMs: number, limit: number): Promise<Transaction[]>
}

/** Kept beside the state, and read by others than the domain. */
const NOT_THE_STATE = { outbox: 0, transitions: 0, claim: 0 }

/**
 * How long a new transaction waits for others to be inserted with, while there are few: their events come several at once, since
 * those wait for each other already, and each insert alone costs the database what several together do (docs/adr/0011).
 */
const LINGER_MS = 5

export function mongoTransactions(
  collection: mongo.Collection<TransactionDocument>,
  relay: Pick<OutboxRelay, 'submit'>,
): Transactions {
  const insert = createBatcher<TransactionDocument, boolean>({
    maxBatchSize: 200,
    maxQueued: 5000,
    maxDelayMs: LINGER_MS,
    flushAtSize: 8,
    run: (documents) => insertBatch(collection, documents),
  })
  const findByKey = gatherReads(collection, 'orderKey', SEARCH_BATCHES.pauseMs)
  return {
    find: gatherReads(collection, '_id', 0),

    findByOrder(merchantId, orderId) {
      return findByKey(orderKey(merchantId, orderId))
    },

    async insert(decision, { urgent }) {
      const document = toDocument(decision)
      const inserted = await insert(document, { immediate: urgent })
      if (inserted) relay.submit(document._id, document.outbox)
      return inserted
    },

    hurry: () => insert.flush(),

    async save(before, decision) {
      const { _id, orderKey: key, order, outbox, transitions = [], dueAt, waitsSince: since, ...changed } = toDocument(decision)
      const result = await collection.updateOne(
        { _id, version: before.version, status: before.status },
        {
          $set: { ...changed, ...(dueAt && { dueAt }), ...(since && { waitsSince: since }) },
          ...unsetOf({ dueAt, waitsSince: since }),
          ...(outbox.length > 0 ? { $push: { outbox: { $each: outbox }, transitions: { $each: transitions } } } : {}),
        },
      )
      if (result.matchedCount === 0) return false
      relay.submit(_id, outbox)
      return true
    },

    async claimDue(now, leaseMs, limit) {
      // The index holds only documents with a dueAt, and is used only by a query that says so.
      const due = { dueAt: { $exists: true, $lte: now } }
      const found = await collection.find(due, { sort: { dueAt: 1 }, limit, projection: { _id: 1 } }).toArray()
      if (found.length === 0) return []
      const ids = { _id: { $in: found.map(({ _id }) => _id) } }
      // Others may have found the same ones: each goes to whose claim it carries then.
      const claim = randomBytes(9).toString('base64url')
      const lease = { dueAt: new Date(now.getTime() + leaseMs), claim }
      const { modifiedCount } = await collection.updateMany({ ...ids, ...due }, { $set: lease })
      if (modifiedCount === 0) return []
      return (await collection.find({ ...ids, claim }, { projection: NOT_THE_STATE }).toArray()).map(toTransaction)
    },
  }
}

/** Reads that are asked for while others are on their way go as one command: at load, a read costs a part of one. */
function gatherReads(
  collection: mongo.Collection<TransactionDocument>,
  key: '_id' | 'orderKey',
  pauseMs: number,
): (value: string) => Promise<Transaction | undefined> {
  return createBatcher<string, Transaction | undefined>({
    ...SEARCH_BATCHES,
    pauseMs,
    maxQueued: 5000,
    run: async (values) => {
      const [only = ''] = values
      const filter = { [key]: values.length === 1 ? only : { $in: [...new Set(values)] } }
      const found = await collection.find(filter, { projection: NOT_THE_STATE }).toArray()
      const byKey = new Map(found.map((document) => [document[key], document]))
      return values.map((value): PromiseSettledResult<Transaction | undefined> => {
        const document = byKey.get(value)
        return { status: 'fulfilled', value: document && toTransaction(document) }
      })
    },
  })
}

/** What an update takes out of the document: the fields that the decision has no value for. */
function unsetOf(fields: Readonly<Record<string, Date | undefined>>): { $unset?: Record<string, ''> } {
  const names = Object.keys(fields).filter((name) => fields[name] === undefined)
  return names.length > 0 ? { $unset: Object.fromEntries(names.map((name) => [name, ''])) } : {}
}

/** With the events of the decision, as it is inserted. */
export function toDocument({ transaction, events }: Decision): TransactionDocument {
  const { id, ...fields } = transaction
  const dueAt = nextDueAt(transaction)
  const since = waitsSince(transaction)
  return {
    _id: id,
    orderKey: orderKey(fields.order.merchant.id, fields.order.orderId),
    ...fields,
    ...(dueAt ? { dueAt } : {}),
    ...(since ? { waitsSince: since } : {}),
    outbox: events.map(toEntry),
    transitions: events.map(({ data, occurred_at }) => ({ sequence: data.sequence, at: new Date(occurred_at) })),
  }
}

function toTransaction({
  _id,
  orderKey: key,
  dueAt,
  waitsSince: _since,
  outbox,
  transitions,
  claim: _claim,
  ...fields
}: TransactionDocument): Transaction {
  return { id: _id, ...fields }
}
