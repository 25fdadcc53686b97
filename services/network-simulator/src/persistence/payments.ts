import mongoose, { type Connection } from 'mongoose'
import { driverCollection, isDuplicateKey, retryDeadlocks } from '@gateway/service-kit'
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

export interface Payments {
  /** False when another start of the same attempt was faster. */
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
  return {
    insert: async (payments) => {
      try {
        for (const payment of payments) await retryDeadlocks(() => collection.insertOne(toDocument(payment)))
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
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
      const { _id, ...fields } = toDocument(after)
      const guard = { _id, version: before.version }
      const change = { $set: { ...fields, version: before.version + 1 } }
      const result = await retryDeadlocks(() => collection.updateOne(guard, change))
      return result.matchedCount === 1
    },
  }
}

export function toDocument({ reference, ...fields }: Payment): PaymentDocument {
  return { _id: reference, ...fields, nextDueAt: nextDueAt(fields) }
}

function fromDocument({ _id, nextDueAt: _nextDueAt, ...fields }: PaymentDocument): Payment {
  return { reference: _id, ...fields }
}
