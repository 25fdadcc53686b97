import type { EntryKind, EntryStatus } from '../entries.ts'
import { compile, type FromSchema } from '../schema.ts'
import type { PaymentMethod } from '../transaction.ts'
import { PAGE_PROPERTIES } from './list-orders.ts'

const day = { type: 'string', format: 'date' } as const

export const SETTLEMENT_ID_SCHEMA = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' } as const

/** The query parameters of `GET /api/v1/settlements`, which are all text. */
export const listSettlementsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    from: { ...day, description: 'a day such as 2026-11-21: settlements of that day or later; not later than to' },
    to: { ...day, description: 'a day such as 2026-11-21: settlements of that day or earlier' },
    ...PAGE_PROPERTIES,
  },
} as const
export type ListSettlementsQuery = FromSchema<typeof listSettlementsSchema>
export const listSettlementsQuery = compile(listSettlementsSchema)

/** The query parameters of `GET /api/v1/settlements/:id/lines`. */
export const settlementLinesSchema = { type: 'object', additionalProperties: false, properties: PAGE_PROPERTIES } as const
export const settlementLinesQuery = compile(settlementLinesSchema)

/**
 * What the bank paid to the merchant, or took, in one transfer. Amounts are rupees with two decimals. Lines that failed are not in
 * the sums.
 */
export interface SettlementView {
  readonly id: string
  readonly settled_on: string
  readonly utr: string | null
  readonly lines: number
  readonly currency: 'INR'
  readonly credit: string
  readonly debit: string
  readonly fee: string
  readonly tax: string
  /** Credit minus debit, fee and tax; negative when the bank took more than it paid. */
  readonly net: string
}

export interface SettlementLineView {
  readonly kind: EntryKind
  readonly direction: 'credit' | 'debit'
  readonly reference: string
  readonly order_id: string
  readonly transaction_id: string
  readonly rrn: string | null
  readonly method: PaymentMethod | null
  readonly amount: string
  readonly fee: string
  readonly tax: string
  readonly currency: 'INR'
  /** What the bank says. */
  readonly status: EntryStatus
}

/** Newest first. */
export interface SettlementsPage {
  readonly data: { readonly settlements: readonly SettlementView[] }
  readonly next_cursor: string | null
}

export interface SettlementLinesPage {
  readonly data: { readonly lines: readonly SettlementLineView[] }
  readonly next_cursor: string | null
}
