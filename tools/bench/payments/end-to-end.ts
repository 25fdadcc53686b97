import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilSettled } from '@gateway-tools/load/receiver'
import { firstArrivals, summarize } from '@gateway-tools/load/statistics'
import { eventIds, type Bench } from './stack.ts'

export type PacedRun = Awaited<ReturnType<typeof runPayments>>

interface PacedOptions {
  readonly perSecond: number
  readonly durationMs: number
  /** Events that have not arrived this long after the last call are missing. */
  readonly patienceMs: number
}

const LOG_REACHES_DISK_MS = 200
/** The log in which `payment-status` notes each committed status change. */
const LOG = 'payment-status.log'
/** The log's clock is cut to whole milliseconds, of which the middle is taken. */
const CUT_OFF_MS = 0.5
const CHANGE = /(?=.*"status changed")(?=.*"time":"([^"]+)")(?=.*"transaction_id":"([^"]+)")(?=.*"sequence":(\d+))/u

/** Creates and pays orders at a rate. `latencyMs`: from the committed status change to the webhook's arrival. */
export async function runPayments(bench: Bench, { perSecond, durationMs, patienceMs }: PacedOptions) {
  await bench.receiver.call('take')
  const { size: from } = await stat(join(bench.logDir, LOG))
  const load = await bench.load.call('paced', 'pay', { perSecond, durationMs })
  const expected = [...eventIds(load.transactionIds, 1), ...eventIds(load.paidIds, 2)]
  const settled = await untilSettled(bench.receiver, expected, patienceMs)

  await sleep(LOG_REACHES_DISK_MS)
  const committed = await readCommitted(bench.logDir, from)
  const latencies = [...firstArrivals(await bench.receiver.call('take'))].flatMap(([eventId, atMs]) => {
    const committedMs = committed.get(eventId)
    return committedMs === undefined ? [] : [atMs - committedMs]
  })
  return { perSecond, durationMs, load, settled, latencyMs: summarize(latencies) }
}

/** When each status change was committed, by event id, in milliseconds since 1970, as the log of `payment-status` says. */
async function readCommitted(logDir: string, from: number): Promise<Map<string, number>> {
  const committed = new Map<string, number>()
  for await (const line of createInterface({ input: createReadStream(join(logDir, LOG), { start: from }) })) {
    const [, time = '', id, sequence] = CHANGE.exec(line) ?? []
    if (id !== undefined) committed.set(`${id}.${sequence}`, Date.parse(time) + CUT_OFF_MS)
  }
  return committed
}

/** When the load ends, answers and webhooks that are still to come must be what a second brings, or the backlog grows. */
const HOLDS_WITHIN_MS = 1000

/** True when the stack keeps up with this rate. */
export function holds(run: PacedRun): boolean {
  const { load, settled } = run
  return load.notSent + load.shed + load.failed + settled.missing.length === 0 && lateMs(run) <= HOLDS_WITHIN_MS
}

/** From the last call until every call was answered and every event had arrived, in milliseconds. */
export function lateMs({ load, settled, durationMs }: PacedRun): number {
  return Math.max(load.tookMs - durationMs, 0) + settled.afterMs
}

/** The highest rate that holds: it grows by half as long as it does, then the middle of the last two is tried. */
export async function findHighestRate(bench: Bench, durationMs: number, tell: (run: PacedRun) => void): Promise<number> {
  const tryRate = async (perSecond: number): Promise<boolean> => {
    const run = await runPayments(bench, { perSecond, durationMs, patienceMs: 30_000 })
    tell(run)
    return holds(run)
  }
  let [highest, next] = [0, 60]
  while (next <= 2000 && (await tryRate(next))) [highest, next] = [next, Math.round(next * 1.5)]
  const between = Math.round((highest + next) / 2)
  return (await tryRate(between)) ? between : highest
}
