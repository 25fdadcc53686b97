import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Router } from 'express'
import { addDays, dailyReportQuery, istDayStart, REPORT_HEADERS, ValidationFailed } from '@gateway/contracts'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import { csvReport, jsonReport, type ReportWriter } from './daily-report.ts'
import type { Entry } from '../../reconciliation/index.ts'
import type { ReadMoneyEvents } from '../use-cases/read-money-events.ts'
import type { AcquireSlot, ReportSlot } from './report-slots.ts'

export interface ReportsRouteOptions {
  readonly identify: Identify
  readonly readMoneyEvents: ReadMoneyEvents
  readonly acquireSlot: AcquireSlot
  /** The time up to which the report has every movement of money that was published. */
  readonly published: () => Date
  /** The time up to which it has every movement: a day that ended by then is complete. */
  readonly whole: () => Date
}

/** How many entries are written to the reader at once. */
const PIECE = 200

/** `GET /api/v1/reports/daily`. The report is streamed: the database is queried at the pace at which the caller reads. */
export function reportsRoute(options: ReportsRouteOptions): Router {
  const { identify, readMoneyEvents, acquireSlot, published, whole } = options
  return Router().get('/api/v1/reports/daily', async (request, response) => {
    const { merchantId } = await identify(request, 'read')
    const { date, format } = dailyReportQuery.parse({ ...request.query })
    const slot = await acquireSlot(merchantId, () => response.destroy())
    try {
      const day = dayOf(date)
      // Read these times before the entries, so that the report has every movement up to them.
      const state = { as_of: published().toISOString(), complete: whole() >= day.to }
      const chunks = readMoneyEvents({ merchantId, ...day })
      // Read the first chunk before the headers are sent, so that an unavailable database is answered with 503.
      const first = await chunks.next()
      const writer = format === 'json' ? jsonReport(date, state) : csvReport(state)
      response.setHeader('content-type', writer.contentType)
      response.setHeader('cache-control', 'no-store')
      response.setHeader(REPORT_HEADERS.as_of, state.as_of)
      response.setHeader(REPORT_HEADERS.complete, String(state.complete))
      const text = Readable.from(atPaceOf(slot, textOf(writer, first, chunks)), { highWaterMark: 1 })
      await pipeline(text, response)
    } finally {
      slot.release()
    }
  })
}

function dayOf(date: string): { from: Date; to: Date } {
  const [from, to] = [istDayStart(date), istDayStart(addDays(date, 1))]
  if (!from || !to) throw new ValidationFailed([{ field: '/date', message: 'must be a day such as 2026-11-21' }])
  return { from, to }
}

async function* atPaceOf(slot: ReportSlot, texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) {
    slot.waitsForReader(true)
    yield text
    slot.waitsForReader(false)
  }
}

async function* textOf(
  writer: ReportWriter,
  first: IteratorResult<readonly Entry[], void>,
  rest: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<string> {
  yield writer.head()
  if (first.done !== true) yield* piecesOf(writer, first.value)
  for await (const entries of rest) yield* piecesOf(writer, entries)
  yield writer.end()
}

function* piecesOf(writer: ReportWriter, entries: readonly Entry[]): Generator<string> {
  for (let start = 0; start < entries.length; start += PIECE) yield writer.rows(entries.slice(start, start + PIECE))
}
