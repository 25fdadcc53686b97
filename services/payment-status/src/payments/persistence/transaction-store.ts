import type { Connection, mongo } from 'mongoose'
import { orderKey, ownSlotsOf, slotOf, slotOfOrder } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection, filterByIds, insertBatch, storedIds, type CheckSlot } from '@gateway/service-kit/mongo'
import type { OutboxRelay } from '@gateway/outbox'
import type { Decision, Transaction } from '../domain/transaction.ts'
import { READ_BATCHING } from '../read-batching.ts'
import { makeClaimDue, type ClaimDue } from './claim-due.ts'
import { NOT_THE_STATE, toDocument, toTransaction, transactionModel, type TransactionDocument } from './transaction-document.ts'

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
  readonly claimDue: ClaimDue
  /** The same for transactions with a due refund, whose lease is their own. */
  readonly claimDueRefunds: ClaimDue
}

/**
 * How long a new transaction waits for others, while there are few: one insert costs the database nearly as much as several. From
 * several hundred a second on, the pause makes the batches larger; the events of a batch also leave together (docs/adr/0011).
 */
const INSERT_BATCHING = { maxBatchSize: 200, maxQueued: 5000, maxDelayMs: 5, flushAtSize: 8, pauseMs: 10 } as const

/** The store on MongoDB. `relay` publishes the events of each write; `checkSlot` is told of the transactions that are due. */
export function mongoTransactionStore(
  connection: Connection,
  relay: Pick<OutboxRelay, 'submit'>,
  checkSlot: CheckSlot,
): TransactionStore {
  const model = transactionModel(connection)
  // On the payment path (batched insert, batched find, guarded update) statements go to the driver: mongoose would cast each one.
  const collection = driverCollection<TransactionDocument>(connection, model.collection.name)
  const insert = createBatcher<TransactionDocument, boolean>({
    ...INSERT_BATCHING,
    run: (documents) => insertBatch(collection, documents),
  })
  const findById = batchedFind(collection, '_id', 0)
  const findByKey = batchedFind(collection, 'order_key', READ_BATCHING.pauseMs)

  return {
    async find(id) {
      const slot = slotOf(id)
      // A reference that the gateway did not make: there is nothing to look for.
      return slot === undefined ? undefined : findById({ value: id, slot })
    },
    findByOrder: (merchantId, orderId) =>
      findByKey({ value: orderKey(merchantId, orderId), slot: slotOfOrder(merchantId, orderId) }),

    async findMissing(ids) {
      const stored = await storedIds(collection, ids, { slot: { $in: ownSlotsOf(ids) } })
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
      const { _id, slot, outbox } = document
      const guard = { _id, slot, version: before.version, status: before.status }
      const result = await collection.updateOne(guard, changeOf(document))
      if (result.matchedCount === 0) return false
      relay.submit(_id, outbox)
      return true
    },

    claimDue: makeClaimDue('due_at', { model, checkSlot }),
    claimDueRefunds: makeClaimDue('refunds_due_at', { model, checkSlot }),
  }
}

/** The value of a key that is looked up, and the slot of the transaction that has it. */
interface Wanted {
  readonly value: string
  readonly slot: number
}

/** Reads that are asked for while others run share one command: at load, a read costs a fraction of one. */
function batchedFind(
  collection: mongo.Collection<TransactionDocument>,
  key: '_id' | 'order_key',
  pauseMs: number,
): (wanted: Wanted) => Promise<Transaction | undefined> {
  return createBatcher<Wanted, Transaction | undefined>({
    ...READ_BATCHING,
    pauseMs,
    maxQueued: 5000,
    run: async (all) => {
      const found = await collection.find(filterOf(key, all), { projection: NOT_THE_STATE }).toArray()
      const byKey = new Map(found.map((document) => [document[key], document]))
      return all.map(({ value }): PromiseSettledResult<Transaction | undefined> => {
        const document = byKey.get(value)
        return { status: 'fulfilled', value: document && toTransaction(document) }
      })
    },
  })
}

/**
 * By their order keys in pairs with the slots: with a list of each, the database would look into their index for every slot with every
 * key. By their ids that cannot happen, since the index of ids has no slot.
 */
function filterOf(key: '_id' | 'order_key', all: readonly Wanted[]): mongo.Filter<TransactionDocument> {
  const wanted = [...new Map(all.map((one) => [one.value, one])).values()]
  const [only, ...others] = wanted
  if (only && others.length === 0) return { slot: only.slot, [key]: only.value }
  if (key === 'order_key') return { $or: wanted.map(({ slot, value }) => ({ slot, order_key: value })) }
  return filterByIds(wanted.map(({ slot, value }) => ({ slot, _id: value })))
}

/** The update that turns the stored document into this one; its events are added to those that are not published yet. */
function changeOf({ _id, slot, order_key, order, outbox, ...fields }: TransactionDocument): mongo.Document {
  const optional = fields.refunds ? (['due_at', 'waits_since', 'refunds_due_at'] as const) : (['due_at', 'waits_since'] as const)
  const absent = optional.filter((name) => fields[name] === undefined)
  return {
    $set: fields,
    ...(absent.length > 0 ? { $unset: Object.fromEntries(absent.map((name) => [name, ''])) } : {}),
    ...(outbox.length > 0 ? { $push: { outbox: { $each: outbox } } } : {}),
  }
}
