import {
  currency,
  enumOrNull,
  exactFields,
  integer,
  listOf,
  optionalFields,
  pageOf,
  requiredFields,
  rupees,
  text,
  textOrNull,
  time,
} from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { PAYMENT_METHODS } from '../transaction.ts'
import { PAGE_PROPERTIES } from './lists.ts'

/**
 * The kinds of movements of money: a payment that the merchant keeps, one that must go back (`unwanted_capture`) and its way back
 * (`reversal`), a refund, and a refund that the shopper's bank sent back (`refund_return`).
 */
export const ENTRY_KINDS = ['capture', 'unwanted_capture', 'reversal', 'refund', 'refund_return'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export const ENTRY_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type EntryStatus = (typeof ENTRY_STATUSES)[number]

export const MONEY_DIRECTION_SCHEMA = {
  enum: ['credit', 'debit'],
  description: 'credit: for the merchant; debit: from the merchant',
} as const

export const REPORT_FORMATS = ['csv', 'json'] as const

/** The query parameters of `GET /api/v1/reports/daily`. */
export const dailyReportSchema = exactFields(
  {
    date: { type: 'string', format: 'date', description: 'a day in IST, such as 2026-11-21' },
  },
  {
    format: { enum: REPORT_FORMATS, description: 'csv or json; csv by default' },
  },
)
export type DailyReportQuery = FromSchema<typeof dailyReportSchema>
export const dailyReportQuery = compile(dailyReportSchema)

/** One movement of money. */
export const moneyEventSchema = requiredFields({
  at: { ...time, description: 'when the money moved, in IST, such as 2026-11-21T10:00:00.000+05:30' },
  kind: { enum: ENTRY_KINDS, description: `the kind of movement: one of ${ENTRY_KINDS.join(', ')}` },
  direction: MONEY_DIRECTION_SCHEMA,
  amount: rupees,
  currency,
  order_id: { ...text, description: 'the id that the merchant gave to the order' },
  transaction_id: { ...text, description: 'the id of its transaction' },
  reference: { ...text, description: "the network's id of the payment; of a refund, the refund's id" },
  rrn: { ...textOrNull, description: 'the retrieval reference number, once it is known' },
  method: { ...enumOrNull(PAYMENT_METHODS), description: 'the instrument that paid' },
})
export type MoneyEvent = FromSchema<typeof moneyEventSchema>

const reportStateProperties = {
  as_of: { ...time, description: 'the report has every movement of money that was known by this time' },
  complete: {
    type: 'boolean',
    description: 'true when as_of is at least five minutes after the end of the day and nothing of it can be on its way',
  },
} as const

/** The end of a report: an answer without it was cut off. */
export const reportEndSchema = requiredFields({
  rows: { ...integer, description: 'the number of events' },
  credit: { ...text, description: 'the sum of all credits, in rupees' },
  debit: { ...text, description: 'the sum of all debits, in rupees' },
  ...reportStateProperties,
})
export type ReportEnd = FromSchema<typeof reportEndSchema>
/** How much of its day a report can have. */
export type ReportState = Pick<ReportEnd, keyof typeof reportStateProperties>

/** The headers of the answer with `as_of` and `complete`, for a reader that takes the report as a stream. */
export const REPORT_HEADERS = { as_of: 'x-report-as-of', complete: 'x-report-complete' } as const satisfies Record<
  keyof ReportState,
  string
>

/** The report as JSON. The service writes it event by event, `end` last. */
export const dailyReportResponseSchema = requiredFields({
  data: requiredFields({
    date: { ...text, description: 'the day in IST' },
    ...reportStateProperties,
    events: listOf(moneyEventSchema),
  }),
  end: reportEndSchema,
})
export type DailyReport = FromSchema<typeof dailyReportResponseSchema>

const day = { type: 'string', format: 'date' } as const

export const SETTLEMENT_ID_SCHEMA = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' } as const

/** The query parameters of `GET /api/v1/settlements`, which are all text. */
export const listSettlementsSchema = optionalFields({
  from: { ...day, description: 'a day such as 2026-11-21: settlements of that day or later; not later than to' },
  to: { ...day, description: 'a day such as 2026-11-21: settlements of that day or earlier' },
  ...PAGE_PROPERTIES,
})
export type ListSettlementsQuery = FromSchema<typeof listSettlementsSchema>
export const listSettlementsQuery = compile(listSettlementsSchema)

/** The query parameters of `GET /api/v1/settlements/:id/lines`. */
export const settlementLinesSchema = optionalFields(PAGE_PROPERTIES)
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
