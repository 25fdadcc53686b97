import type { EntryKind } from '../entries.ts'
import { compile, type FromSchema } from '../schema.ts'
import type { PaymentMethod } from '../transaction.ts'

export const REPORT_FORMATS = ['csv', 'json'] as const

/** The query parameters of `GET /api/v1/reports/daily`. */
export const dailyReportSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['date'],
  properties: {
    date: { type: 'string', format: 'date', description: 'a day in IST, such as 2026-11-21' },
    format: { enum: REPORT_FORMATS, description: 'csv or json; csv by default' },
  },
} as const
export type DailyReportQuery = FromSchema<typeof dailyReportSchema>
export const dailyReportQuery = compile(dailyReportSchema)

/** One movement of money. */
export interface MoneyEvent {
  /** In IST, such as `2026-11-21T10:00:00.000+05:30`. */
  readonly at: string
  readonly kind: EntryKind
  /** `credit`: for the merchant; `debit`: from the merchant. */
  readonly direction: 'credit' | 'debit'
  /** Rupees with two decimals. */
  readonly amount: string
  readonly currency: 'INR'
  readonly order_id: string
  readonly transaction_id: string
  /** The network's id of the payment; of a refund, the refund's id. */
  readonly reference: string
  readonly rrn: string | null
  readonly method: PaymentMethod | null
}

/** How much of its day a report can have. */
export interface ReportState {
  /** The report has every movement that was published before this time. */
  readonly as_of: string
  /** True when nothing of the day can be on its way: `as_of` is five minutes after its end. A movement that the network reports later is not in it. */
  readonly complete: boolean
}

/** The end of a report: an answer without it was cut off. */
export interface ReportEnd extends ReportState {
  readonly rows: number
  /** Rupees with two decimals. */
  readonly credit: string
  readonly debit: string
}

/** The headers of the answer with `as_of` and `complete`, for a reader that takes the report as a stream. */
export const REPORT_HEADERS = { as_of: 'x-report-as-of', complete: 'x-report-complete' } as const satisfies Record<
  keyof ReportState,
  string
>

/** The report as JSON. The service writes it event by event, `end` last. */
export interface DailyReport {
  readonly data: ReportState & { readonly date: string; readonly events: readonly MoneyEvent[] }
  readonly end: ReportEnd
}
