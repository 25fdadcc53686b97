import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'
import { ENTRY_KINDS, ENTRY_STATUSES, istDay, PAYMENT_METHODS } from '@gateway/contracts'
import { entryKey, lineKey, parseLineKey, signOf, type Entry } from '../domain/entry.ts'

const text = { type: String, required: true } as const
const integer = { type: Number, required: true } as const
/** Absent while there is no value. */
const optionalText = { type: String, allowNull: false } as const

/** `_id` is `<kind>:<reference>:<transaction>`. */
const entrySchema = mongoose.Schema.create(
  {
    _id: text,
    /** `<kind>:<reference>`, the key of its line in a settlement file. */
    line_key: text,
    merchant_id: text,
    kind: { type: String, enum: ENTRY_KINDS, required: true },
    transaction: text,
    order_id: text,
    rrn: { type: String, default: null },
    method: { type: String, enum: PAYMENT_METHODS, default: null },
    amount_paise: integer,
    sign: integer,
    status: { type: String, enum: ENTRY_STATUSES, required: true },
    at: { type: Date, required: true },
    /** The day of `at` in IST. */
    day: text,
    version: integer,
    /** The settlement file that has this entry's line. */
    settlement: optionalText,
    /** The settlement file whose import reported the entry as missing at the bank. */
    missing: optionalText,
    /** When the money moved. Absent once the entry is settled or reported as missing. */
    unsettled_since: { type: Date, allowNull: false },
  },
  { collection: 'entries', versionKey: false, minimize: false, strict: 'throw' },
)
entrySchema.index({ line_key: 1 }, { name: 'line_key' })
entrySchema.index({ merchant_id: 1, at: 1 }, { name: 'at' })
entrySchema.index(
  { kind: 1, unsettled_since: 1 },
  { name: 'unsettled_since', partialFilterExpression: { unsettled_since: { $exists: true } } },
)

export type EntryDocument = InferRawDocTypeFromSchema<typeof entrySchema>

/** The model on one connection; it declares the collection and its indexes. */
export function entryModel(connection: Connection) {
  return connection.model('Entry', entrySchema)
}

/** The document of an entry before any settlement file has a line for it. */
export function toEntryDocument(entry: Entry): EntryDocument {
  const { kind, at, status } = entry
  return {
    _id: entryKey(entry),
    line_key: lineKey(entry),
    merchant_id: entry.merchantId,
    kind,
    transaction: entry.transactionId,
    order_id: entry.orderId,
    rrn: entry.rrn,
    method: entry.method,
    amount_paise: entry.amountPaise,
    sign: signOf(kind),
    status,
    at,
    day: istDay(at),
    version: entry.version,
    ...(status === 'succeeded' ? { unsettled_since: at } : {}),
  }
}

export function toEntry(document: EntryDocument): Entry {
  return {
    ...parseLineKey(document.line_key),
    merchantId: document.merchant_id,
    transactionId: document.transaction,
    orderId: document.order_id,
    rrn: document.rrn ?? null,
    method: document.method ?? null,
    amountPaise: document.amount_paise,
    status: document.status,
    at: document.at,
    version: document.version,
  }
}
