import type { Connection, mongo } from 'mongoose'
import { Fault, MAX_LISTED_PAYMENTS } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection, insertBatch, retryDeadlocks } from '@gateway/service-kit/mongo'
import { nextDueAt } from '../domain/callback.ts'
import type { Payment } from '../domain/payment.ts'

/** How many payments of one transaction are read: one more than an answer lists, so that the answer can set `more`. */
const MAX_PAYMENTS = MAX_LISTED_PAYMENTS + 1

/** The order when there are more: captures that are not reversed come first, so that the gateway learns of each of them. */
const BY_IMPORTANCE = [
  { outcome: 'success', reversal: null },
  { outcome: 'success', reversal: { $ne: null } },
  { outcome: 'pending' },
  { outcome: 'failed' },
] as const

/** How long the first save of a batch waits for others. */
const SAVE_DELAY_MS = 50

export interface Payments {
  /** Stores payments. Returns false when another start of the same attempt was stored first. Concurrent inserts share one command. */
  insert(payments: readonly Payment[]): Promise<boolean>
  find(reference: string): Promise<Payment | undefined>
  /** The oldest first. When there are more than `MAX_PAYMENTS`, declines are left out before captures and pending payments. */
  findByTransaction(tr: string): Promise<Payment[]>
  findByAttempt(attemptId: string): Promise<Payment | undefined>
  findByPage(token: string): Promise<Payment | undefined>
  /** Payments with a callback due, the longest overdue first. */
  findDue(now: Date, limit: number): Promise<Payment[]>
  /** Returns false when the payment was saved by another caller since it was read. */
  save(before: Payment, after: Payment): Promise<boolean>
  /** As `save`, in a batch with others, for a save that no caller waits for. On false the caller reads the payment to find out. */
  saveLater(before: Payment, after: Payment): Promise<boolean>
}

export function mongoPayments(connection: Connection): Payments {
  const collection = driverCollection<PaymentDocument>(connection, 'payments')
  const insert = createBatcher<PaymentDocument, boolean>({
    maxBatchSize: 100,
    maxQueued: 1000,
    run: (documents) => insertBatch(collection, documents),
  })
  const saveLater = createBatcher<Save, boolean>({
    maxBatchSize: 100,
    maxQueued: 1000,
    maxDelayMs: SAVE_DELAY_MS,
    flushAtSize: 8,
    run: (saves) => saveTogether(collection, saves),
  })
  return {
    insert: async (payments) => {
      // One at a time: when another start of the attempt was first, none of the others may be stored.
      for (const payment of payments) if (!(await insert(toDocument(payment)))) return false
      return true
    },
    find: async (reference) => fromFound(await collection.findOne({ _id: reference })),
    findByTransaction: async (tr) => {
      const oldest = (which: object, limit: number) =>
        collection
          .find({ tr, ...which })
          .sort({ created_at: 1, _id: 1 })
          .limit(limit)
          .toArray()
      const all = await oldest({}, MAX_PAYMENTS)
      if (all.length < MAX_PAYMENTS) return all.map(fromDocument)
      const found: PaymentDocument[] = []
      for (const which of BY_IMPORTANCE)
        if (found.length < MAX_PAYMENTS) found.push(...(await oldest(which, MAX_PAYMENTS - found.length)))
      return found.map(fromDocument)
    },
    findByAttempt: async (attemptId) =>
      fromFound(await collection.findOne({ 'start.attempt_id': { $exists: true, $eq: attemptId } })),
    findByPage: async (token) => fromFound(await collection.findOne({ 'page.token': { $exists: true, $eq: token } })),
    findDue: async (now, limit) => {
      // The query repeats the index's filter: without `$type`, FerretDB reads all payments (ADR 5).
      const due = { next_due_at: { $type: 'date', $lte: now } } as const
      return (await collection.find(due).sort({ next_due_at: 1 }).limit(limit).toArray()).map(fromDocument)
    },
    save: async (before, after) => {
      const { filter, update } = guarded({ before, after })
      const result = await retryDeadlocks(() => collection.updateOne(filter, update))
      return result.matchedCount === 1
    },
    saveLater: (before, after) => saveLater({ before, after }),
  }
}

interface Save {
  readonly before: Payment
  readonly after: Payment
}

/** An update that matches only while the stored version is the one that was read. */
function guarded({ before, after }: Save) {
  const { _id, ...fields } = toDocument(after)
  return { filter: { _id, version: before.version }, update: { $set: { ...fields, version: before.version + 1 } } }
}

/** The database reports how many updates matched, not which. Unless all did, every save of the batch resolves to false. */
async function saveTogether(
  collection: mongo.Collection<PaymentDocument>,
  saves: readonly Save[],
): Promise<PromiseSettledResult<boolean>[]> {
  // In one order on every replica, so that no two batches wait for each other.
  const updates = saves.map(guarded).toSorted((one, other) => (one.filter._id < other.filter._id ? -1 : 1))
  const commands = updates.map((updateOne) => ({ updateOne }))
  const { matchedCount } = await retryDeadlocks(() => collection.bulkWrite(commands, { ordered: false }))
  return saves.map(() => ({ status: 'fulfilled', value: matchedCount === saves.length }))
}

function fromFound(found: PaymentDocument | null): Payment | undefined {
  return found ? fromDocument(found) : undefined
}

/** A payment as it is stored. `_id` is its reference. */
export type PaymentDocument = Omit<Payment, 'reference'> & {
  readonly _id: string
  /** When the next callback is due; `null` when none is left. */
  readonly next_due_at: Date | null
}

function toDocument({ reference, ...fields }: Payment): PaymentDocument {
  return { _id: reference, ...fields, next_due_at: nextDueAt(fields) }
}

function fromDocument({ _id: reference, next_due_at: _next, ...stored }: PaymentDocument): Payment {
  return { reference, ...stored }
}

const MAX_UPDATE_TRIES = 10

/** Reads, changes and saves a payment; repeats when another caller saved first. Returns `undefined` for an unknown payment. */
export async function updatePayment(
  payments: Payments,
  reference: string,
  change: (payment: Payment) => Payment,
): Promise<Payment | undefined> {
  for (let tries = 1; tries <= MAX_UPDATE_TRIES; tries++) {
    const before = await payments.find(reference)
    if (!before) return undefined
    const after = change(before)
    if (after === before) return before
    if (await payments.save(before, after)) return { ...after, version: before.version + 1 }
  }
  throw new Fault(`payment ${reference} could not be saved: other callers changed it ${MAX_UPDATE_TRIES} times meanwhile`)
}
