import {
  dailyReportResponseSchema,
  dailyReportSchema,
  listSettlementsSchema,
  SETTLEMENT_ID_SCHEMA,
  settlementLinesPageSchema,
  settlementLinesSchema,
  settlementsPageSchema,
} from '@gateway/contracts'
import { ledger, read } from './forwarding.ts'
import type { Operations } from './operation.ts'

const tag = 'reports'
const look = { ...ledger, tag, method: 'GET' } as const

/** The money of a day, and what the bank has settled. */
export const reportOperations = {
  readDailyReport: {
    ...read,
    to: 'reports',
    tag,
    method: 'GET',
    path: '/api/v1/reports/daily',
    summary: 'Get every movement of money on one day',
    description:
      'Every movement of money on one day in IST, from midnight to midnight, the oldest first: captures, refunds, reversals and refunds that came back. The scope read is needed. The last line of the CSV is #end,rows,credit,debit,sha256,as_of,complete; the hash covers every byte before it. A report without this line, or JSON without end, was cut off: read it again. While complete is false, the day has not ended or movements are still on their way to the report: read it again later. The headers x-report-as-of and x-report-complete say the same before the body. A merchant can read two reports at the same time; a reader that takes nothing for two seconds may be cut off in favour of another.',
    query: dailyReportSchema,
    answers: { 200: dailyReportResponseSchema },
    csv: 'The same events as a table (RFC 4180) with a line of column names; the last line is #end,rows,credit,debit,sha256,as_of,complete',
    refusals: [404],
  },
  listSettlements: {
    ...look,
    path: '/api/v1/settlements',
    summary: 'List settlements, newest first',
    description:
      'Lists settlements, newest first: what the bank paid in one transfer, as its settlement files say. The sums include every line that did not fail. The scope read is needed.',
    query: listSettlementsSchema,
    answers: { 200: settlementsPageSchema },
    refusals: [404],
  },
  listSettlementLines: {
    ...look,
    path: '/api/v1/settlements/{id}/lines',
    summary: 'List what a settlement consists of',
    description:
      'Lists the payments, refunds and reversals of a settlement. Amounts and status are those that the bank reports; the gateway adds the order that the reference belongs to. The scope read is needed.',
    id: { ...SETTLEMENT_ID_SCHEMA, description: 'the id of a settlement' },
    query: settlementLinesSchema,
    answers: { 200: settlementLinesPageSchema },
    refusals: [404],
  },
} satisfies Operations
