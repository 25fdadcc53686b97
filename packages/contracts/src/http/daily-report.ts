import { ENTRY_KINDS, MONEY_DIRECTION_SCHEMA } from '../entries.ts'
import { closed, currency, enumOrNull, integer, listOf, requiredFields, rupees, text, textOrNull, time } from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { PAYMENT_METHODS } from '../transaction.ts'

export const REPORT_FORMATS = ['csv', 'json'] as const

/** The query parameters of `GET /api/v1/reports/daily`. */
export const dailyReportSchema = closed({
  required: ['date'],
  properties: {
    date: { type: 'string', format: 'date', description: 'a day in IST, such as 2026-11-21' },
    format: { enum: REPORT_FORMATS, description: 'csv or json; csv by default' },
  },
})
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

/** How much of its day a report can have. */
export interface ReportState {
  readonly as_of: string
  readonly complete: boolean
}

/** The end of a report: an answer without it was cut off. */
export const reportEndSchema = requiredFields({
  rows: { ...integer, description: 'the number of events' },
  credit: { ...text, description: 'the sum of all credits, in rupees' },
  debit: { ...text, description: 'the sum of all debits, in rupees' },
  ...reportStateProperties,
})
export type ReportEnd = FromSchema<typeof reportEndSchema>

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
