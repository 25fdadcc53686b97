import mongoose, { type Connection } from 'mongoose'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection, insertBatch, retryDeadlocks } from '@gateway/service-kit/mongo'
import { nextDueAt } from '../domain/callback.ts'
import type { Payment } from '../domain/payment.ts'

const COLLECTION = 'payments'

export type PaymentDocument = Omit<Payment, 'reference'> & { _id: string; nextDueAt: Date | null }

const { Mixed } = mongoose.Schema.Types

const paymentSchema = new mongoose.Schema(
  {
    _id: String,
    tr: { type: String, required: true },
    method: String,
    amountPaise: Number,
    outcome: String,
    failureReason: String,
    rrn: String,
    payer: Mixed,
    instrument: String,
    start: Mixed,
    page: Mixed,
    reversalBehaviour: String,
    reversal: Mixed,
    callbacks: [Mixed],
    unclear: Mixed,
    nextDueAt: Date,
    version: Number,
    createdAt: Date,
  },
  { collection: COLLECTION, versionKey: false, minimize: false },
)
paymentSchema.index({ tr: 1, createdAt: 1 })
// What has nothing left to send is most of the payments, and the sender never looks for it.
paymentSchema.index({ nextDueAt: 1 }, { partialFilterExpression: { nextDueAt: { $type: 'date' } } })
// One attempt starts one payment, however often and from wherever it is asked for.
paymentSchema.index({ 'start.attemptId': 1 }, { unique: true, partialFilterExpression: { 'start.attemptId': { $exists: true } } })
paymentSchema.index({ 'page.token': 1 }, { unique: true, partialFilterExpression: { 'page.token': { $exists: true } } })

/** More payments of one transaction than an enquiry may tell. */
const MAX_PAYMENTS = 100

/** How long a payment's callbacks that were sent wait to be recorded with others', while there are few. */
const LINGER_MS = 50

export interface Payments {
  /** False when another start of the same attempt was faster. Concurrent inserts go as one batch. */
  insert(payments: readonly Payment[]): Promise<boolean>
  find(reference: string): Promise<Payment | undefined>
  /** In the order of their making. */
  findByTransaction(tr: string): Promise<Payment[]>
  findByAttempt(attemptId: string): Promise<Payment | undefined>
  findByPage(token: string): Promise<Payment | undefined>
  /** Those that have a callback due, the longest waiting first. */
  findDue(now: Date, limit: number): Promise<Payment[]>
  /** False when somebody else saved the payment since it was read. */
  save(before: Payment, after: Payment): Promise<boolean>
  /** As `save`, of what nobody waits for. False also when that may have been: read it, and see. */
  saveSometime(before: Payment, after: Payment): Promise<boolean>
}

export function paymentModel(connection: Connection) {
  return connection.model('Payment', paymentSchema)
}

export function mongoPayments(connection: Connection): Payments {
  const collection = driverCollection<PaymentDocument>(connection, COLLECTION)
  const one = async (filter: mongoose.mongo.Filter<PaymentDocument>): Promise<Payment | undefined> => {
    const found = await collection.findOne(filter)
    return found ? fromDocument(found) : undefined
  }
  const insert = createBatcher<PaymentDocument, boolean>({
    maxBatchSize: 100,
    maxQueued: 1000,
    run: (documents) => insertBatch(collection, documents),
  })
  const saveSometime = createBatcher<Save, boolean>({
    maxBatchSize: 100,
    maxQueued: 1000,
    maxDelayMs: LINGER_MS,
    flushAtSize: 8,
    run: (saves) => saveTogether(collection, saves),
  })
  return {
    insert: async (payments) => {
      // One after the other: of a start that was slower than another, nothing may be stored.
      for (const payment of payments) if (!(await insert(toDocument(payment)))) return false
      return true
    },
    find: (reference) => one({ _id: reference }),
    findByTransaction: async (tr) => {
      const found = collection.find({ tr }).sort({ createdAt: 1, _id: 1 }).limit(MAX_PAYMENTS)
      return (await found.toArray()).map(fromDocument)
    },
    findByAttempt: (attemptId) => one({ 'start.attemptId': { $exists: true, $eq: attemptId } }),
    findByPage: (token) => one({ 'page.token': { $exists: true, $eq: token } }),
    findDue: async (now, limit) => {
      const found = collection
        // As its index is filtered: without the type, FerretDB reads all payments (ADR 5).
        .find({ nextDueAt: { $type: 'date', $lte: now } })
        .sort({ nextDueAt: 1 })
        .limit(limit)
      return (await found.toArray()).map(fromDocument)
    },
    save: async (before, after) => {
      const { filter, update } = guarded({ before, after })
      const result = await retryDeadlocks(() => collection.updateOne(filter, update))
      return result.matchedCount === 1
    },
    saveSometime: (before, after) => saveSometime({ before, after }),
  }
}

interface Save {
  readonly before: Payment
  readonly after: Payment
}

function guarded({ before, after }: Save) {
  const { _id, ...fields } = toDocument(after)
  return { filter: { _id, version: before.version }, update: { $set: { ...fields, version: before.version + 1 } } }
}

/** The database says how many were saved and not which: unless all were, each is to be looked at. */
async function saveTogether(
  collection: mongoose.mongo.Collection<PaymentDocument>,
  saves: readonly Save[],
): Promise<PromiseSettledResult<boolean>[]> {
  // In one order wherever it is done, so that no two wait for each other.
  const updates = saves.map(guarded).toSorted((one, other) => (one.filter._id < other.filter._id ? -1 : 1))
  const commands = updates.map((updateOne) => ({ updateOne }))
  const { matchedCount } = await retryDeadlocks(() => collection.bulkWrite(commands, { ordered: false }))
  return saves.map(() => ({ status: 'fulfilled', value: matchedCount === saves.length }))
}

export function toDocument({ reference, ...fields }: Payment): PaymentDocument {
  return { _id: reference, ...fields, nextDueAt: nextDueAt(fields) }
}

function fromDocument({ _id, nextDueAt: _nextDueAt, ...fields }: PaymentDocument): Payment {
  return { reference: _id, ...fields }
}
