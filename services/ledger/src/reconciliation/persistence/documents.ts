import type { mongo } from 'mongoose'
import type { EntryKind, EntryStatus, PaymentMethod } from '@gateway/contracts'
import type { Difference, DIFFERENCE_STATUSES, KeptLine } from '../domain/difference.ts'
import { entryKey, lineKey, type Entry } from '../domain/entry.ts'
import type { ImportFailure } from '../domain/import-retry.ts'

/** `_id` is `<kind>:<reference>:<transaction>`. */
export interface EntryDocument extends Entry {
  readonly _id: string
  /** `<kind>:<reference>`, the key of its line in a settlement file. */
  readonly line_key: string
  /** The settlement file that has this entry's line. */
  readonly settlement?: string
  /** The settlement file whose import reported the entry as missing at the bank. */
  readonly missing?: string
  /** When the money moved. Absent once the entry is settled or reported as missing. */
  readonly unsettled_since?: Date
}

/** The document of an entry before any settlement file has a line for it. */
export function toEntryDocument(entry: Entry): EntryDocument {
  const waits = entry.status === 'succeeded' ? { unsettled_since: entry.at } : {}
  return { _id: entryKey(entry), line_key: lineKey(entry), ...entry, ...waits }
}

export interface DifferenceDocument extends Difference {
  readonly status: (typeof DIFFERENCE_STATUSES)[number]
  /** Absent once the difference is closed or resolved, so that the partial index holds only open ones. */
  readonly open?: true
  readonly found_at: Date
  readonly ended_at: Date | null
  /** The file that closed it, or `late entry`. */
  readonly closed_by: string | null
  readonly resolved_by: string | null
  readonly note: string | null
}

/** What the bank settled for one merchant in one transfer. `_id` is `<merchant>:<day>:<settlement id>`: in the order of days for each merchant. */
export interface SettlementDocument {
  readonly _id: string
  readonly merchant_id: string
  readonly settlement_id: string
  readonly settled_on: string
  readonly utr: string | null
  /** A random text while the totals may lack lines; absent once they have all of them. */
  readonly stale?: string
  readonly lines: number
  readonly credit_paise: number
  readonly debit_paise: number
  readonly fee_paise: number
  readonly tax_paise: number
}

/** The first line with a kind and reference, as the bank sent it. `_id` is this key. */
export interface LineDocument extends KeptLine {
  readonly _id: string
}

/** A line that belongs to an entry, as its merchant sees it. `_id` is `<merchant>:<day>:<settlement id>:<key>`. */
export interface MerchantLineDocument {
  readonly _id: string
  readonly kind: EntryKind
  readonly reference: string
  readonly order_id: string
  readonly transaction_id: string
  readonly rrn: string | null
  readonly method: PaymentMethod | null
  readonly amount_paise: number
  readonly fee_paise: number
  readonly tax_paise: number
  readonly status: EntryStatus
}

/** `_id` is the SHA-256 of the bytes in hexadecimal. */
export interface FileDocument {
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
export interface UploadDocument {
  readonly _id: string
  readonly started_at: Date
}

export interface ChunkDocument {
  readonly _id: string
  readonly data: mongo.Binary
}
