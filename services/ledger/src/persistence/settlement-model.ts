import mongoose, { type Connection, type InferRawDocTypeFromSchema, type mongo } from 'mongoose'
import type { EntryKind, EntryStatus, PaymentMethod } from '@gateway/contracts'
import { DIFFERENCE_CLASSES, DIFFERENCE_STATUSES, type Difference } from '../domain/difference.ts'
import type { ImportFailure } from '../domain/import-retry.ts'

const text = { type: String, required: true } as const
const textOrNull = { type: String, default: null } as const
const integerOrNull = { type: Number, default: null } as const

/** `_id` begins with the file and the class, so each file and each of its classes is a range of the primary key. */
const differenceSchema = mongoose.Schema.create(
  {
    _id: text,
    file: text,
    class: { type: String, enum: DIFFERENCE_CLASSES, required: true },
    line: integerOrNull,
    merchant_id: textOrNull,
    kind: textOrNull,
    reference: textOrNull,
    ours_paise: integerOrNull,
    ours_status: textOrNull,
    ours_tr: textOrNull,
    bank_paise: integerOrNull,
    bank_status: textOrNull,
    bank_tr: textOrNull,
    column: textOrNull,
    reason: textOrNull,
    status: { type: String, enum: DIFFERENCE_STATUSES, required: true },
    /** Absent once the difference is closed or resolved, so that the partial index holds only open ones. */
    open: { type: Boolean, allowNull: false },
    found_at: { type: Date, required: true },
    ended_at: { type: Date, default: null },
    /** The file that closed it, or `late entry`. */
    closed_by: textOrNull,
    resolved_by: textOrNull,
    note: textOrNull,
  },
  { collection: 'differences', versionKey: false, minimize: false, strict: 'throw' },
)
differenceSchema.index({ class: 1 }, { name: 'open', partialFilterExpression: { open: { $exists: true } } })
export type DifferenceDocument = InferRawDocTypeFromSchema<typeof differenceSchema>

export function differenceModel(connection: Connection) {
  return connection.model('Difference', differenceSchema)
}

export function toDifferenceDocument(difference: Difference, foundAt: Date): DifferenceDocument {
  const { id, file, line, merchantId, kind, reference, ours, bank, column, reason } = difference
  return {
    ...{ _id: id, file, class: difference.class, line, merchant_id: merchantId, kind, reference, column, reason },
    ...{ ours_paise: ours?.amountPaise ?? null, ours_status: ours?.status ?? null, ours_tr: ours?.tr ?? null },
    ...{ bank_paise: bank?.amountPaise ?? null, bank_status: bank?.status ?? null, bank_tr: bank?.tr ?? null },
    ...{ status: 'open', open: true, found_at: foundAt, ended_at: null, closed_by: null, resolved_by: null, note: null },
  }
}

/** What the bank settled for one merchant in one transfer. `_id` is `<merchant>:<day>:<settlement id>`: in the order of days for each merchant. */
const settlementSchema = mongoose.Schema.create(
  {
    _id: text,
    merchant_id: text,
    settlement_id: text,
    settled_on: text,
    utr: textOrNull,
    /** A random text while the totals may lack lines; absent once they have all of them. */
    stale: { type: String, allowNull: false },
    lines: { type: Number, default: 0 },
    credit_paise: { type: Number, default: 0 },
    debit_paise: { type: Number, default: 0 },
    fee_paise: { type: Number, default: 0 },
    tax_paise: { type: Number, default: 0 },
  },
  { collection: 'settlements', versionKey: false, minimize: false, strict: 'throw' },
)
settlementSchema.index({ merchant_id: 1, settlement_id: 1 }, { name: 'settlement_id' })
settlementSchema.index({ stale: 1 }, { name: 'stale', partialFilterExpression: { stale: { $exists: true } } })
export type SettlementDocument = InferRawDocTypeFromSchema<typeof settlementSchema>

export function settlementModel(connection: Connection) {
  return connection.model('Settlement', settlementSchema)
}

/** The first line with a kind and reference, as the bank sent it. `_id` is this key. */
export interface LineDocument extends mongo.Document {
  readonly _id: string
  readonly file: string
  readonly line: number
  readonly tr: string | null
  readonly rrn: string | null
  readonly amount_paise: number
  readonly fee_paise: number
  readonly tax_paise: number
  readonly status: EntryStatus
  readonly settled_on: string
  readonly settlement_id: string
  readonly utr: string | null
}

/** A line that belongs to an entry, as its merchant sees it. `_id` is `<merchant>:<day>:<settlement id>:<key>`. */
export interface MerchantLineDocument extends mongo.Document {
  readonly _id: string
  readonly kind: EntryKind
  readonly reference: string
  readonly order_id: string
  readonly transaction: string
  readonly rrn: string | null
  readonly method: PaymentMethod | null
  readonly amount_paise: number
  readonly fee_paise: number
  readonly tax_paise: number
  readonly status: EntryStatus
}

/** `_id` is the SHA-256 of the bytes in hexadecimal. */
export interface FileDocument extends mongo.Document {
  readonly _id: string
  /** The chunks with its bytes have the ids `<upload>:<number>`. */
  readonly upload: string
  readonly bytes: number
  /** Lines below the names of the columns. */
  readonly lines: number
  readonly state: 'received' | 'imported'
  readonly received_at: Date
  readonly received_by: string
  readonly imported_at: Date | null
  /** Lines that were imported. */
  readonly imported: number
  /** The latest day of its readable lines. */
  readonly settled_until: string | null
  /** Differences by class; `null` until the file is imported. */
  readonly found: Readonly<Record<string, number>> | null
  /** The replica that imports it. No other replica may until `claimed_until`. */
  readonly claim?: string
  /** 1970 while no attempt runs. */
  readonly claimed_until: Date
  /** Attempts since the import last made progress, including a running one. Absent before the first attempt. */
  readonly attempts?: number
  /** No attempt before this time; later files are imported meanwhile. */
  readonly retry_at?: Date
  /** Why the latest attempt failed; absent once the file is imported. */
  readonly failure?: ImportFailure
  /** True while its missing entries are not reported, because another file fails. */
  readonly owes_missing?: boolean
}

/** An upload that has not ended, or was cut off. */
export interface UploadDocument extends mongo.Document {
  readonly _id: string
  readonly started_at: Date
}

export interface ChunkDocument extends mongo.Document {
  readonly _id: string
  readonly data: mongo.Binary
}
