import { randomBytes } from 'node:crypto'
import type { Connection, mongo } from 'mongoose'
import { orderKey } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection, insertBatch, PRESENT, storedIds } from '@gateway/service-kit/mongo'
import type { OutboxRelay } from '@gateway/outbox'
import type { Decision, Transaction } from '../domain/transaction.ts'
import { READ_BATCHING } from '../read-batching.ts'
import {
  toDocument,
  toTransaction,
  transactionModel,
  type TransactionDocument,
  type TransactionModel,
} from './transaction-document.ts'

/** The statements on the collection of transactions, each one document together with its unpublished events. */
export interface TransactionStore {
  find(id: string): Promise<Transaction | undefined>
  findByOrder(merchantId: string, orderId: string): Promise<Transaction | undefined>
  /** Those of the ids that belong to no stored transaction. */
  findMissing(ids: readonly string[]): Promise<string[]>
  /** Inserts it with its first event; false when its id or order is stored. Waits a moment for others unless `immediate`. */
  insert(opening: Decision, options: { readonly immediate: boolean }): Promise<boolean>
  /** Starts the insert of everything that still waits for others. */
  flushInserts(): void
  /** Saves state and events in one write; false when another writer changed the transaction since `before` was read. */
  save(before: Transaction, decision: Decision): Promise<boolean>
  /** Leases up to `limit` due transactions, the longest due first; no replica gets them again before the lease ends. */
  claimDue(now: Date, leaseMs: number, limit: number): Promise<Transaction[]>
  /** The same for transactions with a due refund, whose lease is their own. */
  claimDueRefunds(now: Date, leaseMs: number, limit: number): Promise<Transaction[]>
}

/** Kept beside the state, and no part of the domain's transaction. */
export const NOT_THE_STATE = { outbox: 0, claim: 0, refunds_claim: 0 } as const

/**
 * How long a new transaction waits for others, while there are few: one insert costs the database nearly as much as several. From
 * several hundred a second on, the pause makes the batches larger; the events of a batch also leave together (docs/adr/0011).
 */
const INSERT_BATCHING = { maxBatchSize: 200, maxQueued: 5000, maxDelayMs: 5, flushAtSize: 8, pauseMs: 10 } as const

/** The store on MongoDB. `relay` publishes the events of each write. */
export function mongoTransactionStore(connection: Connection, relay: Pick<OutboxRelay, 'submit'>): TransactionStore {
  const model = transactionModel(connection)
  // On the payment path (batched insert, batched find, guarded update) statements go to the driver: mongoose would cast each one.
  const collection = driverCollection<TransactionDocument>(connection, model.collection.name)
  const insert = createBatcher<TransactionDocument, boolean>({
    ...INSERT_BATCHING,
    run: (documents) => insertBatch(collection, documents),
  })
  const findByKey = batchedFind(collection, 'order_key', READ_BATCHING.pauseMs)

  return {
    find: batchedFind(collection, '_id', 0),
    findByOrder: (merchantId, orderId) => findByKey(orderKey(merchantId, orderId)),

    async findMissing(ids) {
      const stored = await storedIds(collection, ids)
      return ids.filter((id) => !stored.has(id))
    },

    async insert(opening, { immediate }) {
      const document = toDocument(opening)
      const inserted = await insert(document, { immediate })
      if (inserted) relay.submit(document._id, document.outbox)
      return inserted
    },

    flushInserts: () => insert.flush(),

    async save(before, decision) {
      const document = toDocument(decision)
      const { _id, outbox } = document
      const guard = { _id, version: before.version, status: before.status }
      const result = await collection.updateOne(guard, changeOf(document))
      if (result.matchedCount === 0) return false
      relay.submit(_id, outbox)
      return true
    },

    claimDue: (now, leaseMs, limit) => claim(model, 'due_at', now, leaseMs, limit),
    claimDueRefunds: (now, leaseMs, limit) => claim(model, 'refunds_due_at', now, leaseMs, limit),
  }
}

const CLAIM_FIELDS = { due_at: 'claim', refunds_due_at: 'refunds_claim' } as const

async function claim(
  model: TransactionModel,
  dueField: keyof typeof CLAIM_FIELDS,
  now: Date,
  leaseMs: number,
  limit: number,
): Promise<Transaction[]> {
  const due = { [dueField]: { ...PRESENT, $lte: now } }
  const found = await model
    .find(due, { _id: 1 })
    .sort({ [dueField]: 1 })
    .limit(limit)
    .lean()
  if (found.length === 0) return []
  const ids = { _id: { $in: found.map(({ _id }) => _id) } }
  // Another replica may have found the same ones: each transaction belongs to the replica whose claim it carries.
  const claimed = { [CLAIM_FIELDS[dueField]]: randomBytes(9).toString('base64url') }
  const lease = { [dueField]: new Date(now.getTime() + leaseMs), ...claimed }
  const { modifiedCount } = await model.updateMany({ ...ids, ...due }, { $set: lease })
  if (modifiedCount === 0) return []
  return (await model.find({ ...ids, ...claimed }, NOT_THE_STATE).lean<TransactionDocument[]>()).map(toTransaction)
}

/** Reads that are asked for while others run share one command: at load, a read costs a fraction of one. */
function batchedFind(
  collection: mongo.Collection<TransactionDocument>,
  key: '_id' | 'order_key',
  pauseMs: number,
): (value: string) => Promise<Transaction | undefined> {
  return createBatcher<string, Transaction | undefined>({
    ...READ_BATCHING,
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

/** The update that turns the stored document into this one; its events are added to those that are not published yet. */
function changeOf({ _id, order_key, order, outbox, ...fields }: TransactionDocument): mongo.Document {
  const optional = fields.refunds ? (['due_at', 'waits_since', 'refunds_due_at'] as const) : (['due_at', 'waits_since'] as const)
  const absent = optional.filter((name) => fields[name] === undefined)
  return {
    $set: fields,
    ...(absent.length > 0 ? { $unset: Object.fromEntries(absent.map((name) => [name, ''])) } : {}),
    ...(outbox.length > 0 ? { $push: { outbox: { $each: outbox } } } : {}),
  }
}
