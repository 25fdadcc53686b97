/** Money that goes back, what the bank has paid, and the report of a day. */
import { OPERATIONS } from '../generated/operations.ts'
import type { NewRefund, Refund, RefundsQuery, Settlement, SettlementLine, SettlementsQuery } from '../generated/types.ts'
import type { Call, Operation, StreamTransport, Transport } from '../http/transport.ts'
import { dataOf, paged, unlessMissing, type Paged } from './answers.ts'

/** Refunds of this merchant's orders. The credential needs the scope `refunds`. */
export type Refunds = ReturnType<typeof createRefunds>

export function createRefunds(send: Transport) {
  const refundOf = async (operation: Operation, call: Call): Promise<Refund> =>
    (await dataOf<{ readonly refund: Refund }>(send, operation, call)).refund
  return {
    /**
     * Refunds a paid order, in full or in part. Safe to repeat: the same fields again are one refund; other fields with the same
     * `refund_id` throw `ApiError` with the code `refund_id_conflict`.
     *
     * @example await gateway.refunds.create({ order_id: 'ORD-1001', refund_id: 'RF-1', amount: '200.00', reason: 'returned' })
     */
    create: (refund: NewRefund): Promise<Refund> => refundOf(OPERATIONS.createRefund, { body: refund }),
    /** The refund with the gateway's id, or with your own `refund_id` when its order is given; `undefined` when there is none. */
    find: (id: string, { order_id }: { readonly order_id?: string } = {}): Promise<Refund | undefined> =>
      unlessMissing('refund_not_found', () => refundOf(OPERATIONS.findRefund, { id, query: { order_id } })),
    /** Refunds, newest first; the credential needs the scope `read`. A page may be short, even empty, before the last one. */
    list: (query: RefundsQuery = {}): Paged<Refund> => paged(send, OPERATIONS.listRefunds, 'refunds', { query: { ...query } }),
  }
}

export type Settlements = ReturnType<typeof createSettlements>

export function createSettlements(send: Transport) {
  return {
    /** What the bank paid, newest first; the credential needs the scope `read`. */
    list: (query: SettlementsQuery = {}): Paged<Settlement> =>
      paged(send, OPERATIONS.listSettlements, 'settlements', { query: { ...query } }),
    /** What a settlement consists of. */
    lines: (id: string, query: { readonly limit?: number } = {}): Paged<SettlementLine> =>
      paged(send, OPERATIONS.listSettlementLines, 'lines', { id, query }),
  }
}

export type Reports = ReturnType<typeof createReports>

export function createReports(send: StreamTransport) {
  return {
    /**
     * Every movement of money on a day in IST, as the bytes of a file. They arrive while the gateway reads them, so a large day needs
     * no memory. The last line of the CSV is `#end,rows,credit,debit,sha256,as_of,complete`; JSON ends with `end`. Without it the report
     * was cut off. While `complete` is false, the day has not ended or movements are still on their way: read it again later. The scope
     * `read` is needed.
     *
     * @example
     * import { createWriteStream } from 'node:fs'
     * import { pipeline } from 'node:stream/promises'
     * await pipeline(await gateway.reports.daily('2026-11-21'), createWriteStream('2026-11-21.csv'))
     */
    daily: (date: string, { format = 'csv' }: { readonly format?: 'csv' | 'json' } = {}): Promise<ReadableStream<Uint8Array>> =>
      send(OPERATIONS.readDailyReport, { query: { date, format } }),
  }
}
