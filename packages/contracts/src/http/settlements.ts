import { ENTRY_KINDS, ENTRY_STATUSES, MONEY_DIRECTION_SCHEMA } from '../entries.ts'
import {
  closed,
  currency,
  enumOrNull,
  integer,
  listOf,
  pageOf,
  requiredFields,
  rupees,
  text,
  textOrNull,
} from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { PAYMENT_METHODS } from '../transaction.ts'
import { PAGE_PROPERTIES } from './list-orders.ts'

const day = { type: 'string', format: 'date' } as const

export const SETTLEMENT_ID_SCHEMA = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' } as const

/** The query parameters of `GET /api/v1/settlements`, which are all text. */
export const listSettlementsSchema = closed({
  properties: {
    from: { ...day, description: 'a day such as 2026-11-21: settlements of that day or later; not later than to' },
    to: { ...day, description: 'a day such as 2026-11-21: settlements of that day or earlier' },
    ...PAGE_PROPERTIES,
  },
})
export type ListSettlementsQuery = FromSchema<typeof listSettlementsSchema>
export const listSettlementsQuery = compile(listSettlementsSchema)

/** The query parameters of `GET /api/v1/settlements/:id/lines`. */
export const settlementLinesSchema = closed({ properties: PAGE_PROPERTIES })
export const settlementLinesQuery = compile(settlementLinesSchema)

/** What the bank paid to the merchant, or took, in one transfer. Lines that failed are not in the sums. */
export const settlementViewSchema = requiredFields({
  id: { ...text, description: "the bank's id of the settlement" },
  settled_on: { ...text, description: 'the day of the settlement, such as 2026-11-21' },
  utr: { ...textOrNull, description: "the bank's reference of the transfer" },
  lines: { ...integer, description: 'the number of its lines' },
  currency,
  credit: { ...text, description: 'the sum of all credits, in rupees' },
  debit: { ...text, description: 'the sum of all debits, in rupees' },
  fee: { ...text, description: 'the sum of all fees, in rupees' },
  tax: { ...text, description: 'the sum of all taxes on fees, in rupees' },
  net: { ...text, description: 'credit minus debit, fee and tax; begins with a minus sign when the bank took more than it paid' },
})
export type SettlementView = FromSchema<typeof settlementViewSchema>

/** One movement of money in a settlement, as the bank settled it. */
export const settlementLineViewSchema = requiredFields({
  kind: { enum: ENTRY_KINDS, description: `what was settled: one of ${ENTRY_KINDS.join(', ')}` },
  direction: MONEY_DIRECTION_SCHEMA,
  reference: { ...text, description: "the network's id of the payment; of a refund, the refund's id" },
  order_id: { ...text, description: 'the id that the merchant gave to the order' },
  transaction_id: { ...text, description: 'the id of its transaction' },
  rrn: { ...textOrNull, description: 'the retrieval reference number, once it is known' },
  method: { ...enumOrNull(PAYMENT_METHODS), description: 'the instrument that paid' },
  amount: rupees,
  fee: rupees,
  tax: rupees,
  currency,
  status: { enum: ENTRY_STATUSES, description: 'the status that the bank reports: pending, succeeded or failed' },
})
export type SettlementLineView = FromSchema<typeof settlementLineViewSchema>

export const settlementsPageSchema = pageOf({ settlements: listOf(settlementViewSchema) })
export type SettlementsPage = FromSchema<typeof settlementsPageSchema>

export const settlementLinesPageSchema = pageOf({ lines: listOf(settlementLineViewSchema) })
export type SettlementLinesPage = FromSchema<typeof settlementLinesPageSchema>
