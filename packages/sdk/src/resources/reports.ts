import { OPERATIONS } from '../http/operations.ts'
import type { StreamTransport } from '../http/transport.ts'

export interface Reports {
  /**
   * Every movement of money on a day in IST, as the bytes of a file. They arrive while the gateway reads them, so a large day needs
   * no memory. The scope `read` is needed.
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
