import { OPERATIONS } from '../generated/operations.ts'
import type { StreamTransport } from '../http/transport.ts'

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
