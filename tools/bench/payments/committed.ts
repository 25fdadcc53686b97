import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The log in which `payment-status` notes each committed status change. */
const LOG = 'payment-status.log'
/** The log's clock is cut to whole milliseconds, of which the middle is taken. */
const CUT_OFF_MS = 0.5
const CHANGE = /(?=.*"status changed")(?=.*"time":"([^"]+)")(?=.*"transaction_id":"([^"]+)")(?=.*"sequence":(\d+))/u

/** Where the log ends now. */
export async function endOfLog(logDir: string): Promise<number> {
  return (await stat(join(logDir, LOG))).size
}

/**
 * When each status change was committed, by event id, in milliseconds since 1970: `payment-status` writes a line as soon as the
 * database has acknowledged the change.
 */
export async function readCommitted(logDir: string, from: number): Promise<Map<string, number>> {
  const committed = new Map<string, number>()
  for await (const line of createInterface({ input: createReadStream(join(logDir, LOG), { start: from }) })) {
    const [, time = '', id, sequence] = CHANGE.exec(line) ?? []
    if (id !== undefined) committed.set(`${id}.${sequence}`, Date.parse(time) + CUT_OFF_MS)
  }
  return committed
}
