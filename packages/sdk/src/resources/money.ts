/** Money that goes back, what the bank has paid, and the report of a day. */
import { OPERATIONS } from '../generated/operations.ts'
import type { NewRefund, Refund, RefundsQuery, Settlement, SettlementLine, SettlementsQuery } from '../generated/types.ts'
import type { Call, Operation, StreamTransport, Transport } from '../http/transport.ts'
import { dataOf, paged, unlessMissing, type Paged } from './answers.ts'

/** Refunds of this merchant's orders. The credential needs the scope `refunds`. */
export interface Refunds {
  /**
   * Refunds a paid order, in full or in part. Safe to repeat: the same fields again are one refund; other fields with the same
   * `refund_id` throw `ApiError` with the code `refund_id_conflict`.
   *
   * @example await gateway.refunds.create({ order_id: 'ORD-1001', refund_id: 'RF-1', amount: '200.00', reason: 'returned' })
   */
  create(refund: NewRefund): Promise<Refund>
  /**
   * The refund with the gateway's id, or with your own `refund_id` when its order is given; `undefined` when there is none.
   *
   * @example const refund = await gateway.refunds.find('RF-1', { order_id: 'ORD-1001' })
   */
  find(id: string, options?: { readonly order_id?: string }): Promise<Refund | undefined>
  /**
   * Refunds, newest first; the credential needs the scope `read`. A page may be short, even empty, before the last one.
   *
   * @example for await (const { refund_id, status } of gateway.refunds.list({ order_id: 'ORD-1001' })) console.log(refund_id, status)
   */
  list(query?: RefundsQuery): Paged<Refund>
}

export function createRefunds(send: Transport): Refunds {
  const refundOf = async (operation: Operation, call: Call): Promise<Refund> =>
    (await dataOf<{ readonly refund: Refund }>(send, operation, call)).refund
  return {
    create: (refund) => refundOf(OPERATIONS.createRefund, { body: refund }),
    list: (query = {}) => paged(send, OPERATIONS.listRefunds, 'refunds', { query: { ...query } }),
    find: (id, { order_id } = {}) =>
      unlessMissing('refund_not_found', () => refundOf(OPERATIONS.findRefund, { id, query: { order_id } })),
  }
}

export interface Settlements {
  /**
   * What the bank paid, newest first; the credential needs the scope `read`.
   *
   * @example for await (const { id, settled_on, net } of gateway.settlements.list()) console.log(id, settled_on, net)
   */
  list(query?: SettlementsQuery): Paged<Settlement>
  /**
   * What a settlement consists of.
   *
   * @example for await (const { order_id, amount, fee } of gateway.settlements.lines('SET-1')) console.log(order_id, amount, fee)
   */
  lines(id: string, query?: { readonly limit?: number }): Paged<SettlementLine>
}

export function createSettlements(send: Transport): Settlements {
  return {
    list: (query = {}) => paged(send, OPERATIONS.listSettlements, 'settlements', { query: { ...query } }),
    lines: (id, query = {}) => paged(send, OPERATIONS.listSettlementLines, 'lines', { id, query }),
  }
}

export interface Reports {
  /**
   * Every movement of money on a day in IST, as the bytes of a file. They arrive while the gateway reads them, so a large day needs
   * no memory. The last line of the CSV is `#end,rows,credit,debit,sha256,as_of,complete`; JSON ends with `end`. Without it the report was
   * cut off. While `complete` is false, the day has not ended or movements are still on their way: read it again later. The scope
   * `read` is needed.
   *
   * @example
   * import { createWriteStream } from 'node:fs'
   * import { pipeline } from 'node:stream/promises'
   * await pipeline(await gateway.reports.daily('2026-11-21'), createWriteStream('2026-11-21.csv'))
   */
  daily(date: string, options?: { readonly format?: 'csv' | 'json' }): Promise<ReadableStream<Uint8Array>>
}

export function createReports(send: StreamTransport): Reports {
  return {
    daily: (date, { format = 'csv' } = {}) => send(OPERATIONS.readDailyReport, { query: { date, format } }),
  }
}
