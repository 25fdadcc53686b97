import { cpuBetween, readCpu } from './cpu.ts'
import { endOfLog, readCommitted } from './committed.ts'
import type { LoadAnswer } from './load.ts'
import { eventIds, settle, type Settled } from './settle.ts'
import type { Bench } from './stack.ts'
import { summarize, type Summary } from './statistics.ts'

export interface PacedRun {
  readonly perSecond: number
  readonly durationMs: number
  readonly load: LoadAnswer
  readonly settled: Settled
  /** From the committed status change to the webhook's arrival, in milliseconds. */
  readonly latencyMs: Summary
  readonly cpuMsPerPayment: Readonly<Record<string, number>>
}

const LOG_REACHES_DISK_MS = 200

/** Orders are created and paid at a rate; every one has an event for `Initiate`, and one for `Success` once it is paid. */
export async function runPaced(
  bench: Bench,
  { perSecond, durationMs, patienceMs }: { perSecond: number; durationMs: number; patienceMs: number },
): Promise<PacedRun> {
  await bench.receiver.call({ kind: 'take' })
  const from = await endOfLog(bench.logDir)
  const cpu = readCpu(bench.groups)
  const load = await bench.load.call({ kind: 'pay', perSecond, durationMs })
  const settled = await settle(bench, [...eventIds(load.transactionIds, 1), ...eventIds(load.paidIds, 2)], patienceMs)
  const used = cpuBetween(cpu, readCpu(bench.groups))

  await new Promise((resolve) => setTimeout(resolve, LOG_REACHES_DISK_MS))
  const committed = await readCommitted(bench.logDir, from)
  const { arrivals = [] } = await bench.receiver.call({ kind: 'take' })
  const latencies = arrivals.flatMap(([eventId, atMs]) => {
    const committedMs = committed.get(eventId)
    return committedMs === undefined ? [] : [atMs - committedMs]
  })
  const payments = Math.max(load.transactionIds.length, 1)
  return {
    perSecond,
    durationMs,
    load,
    settled,
    latencyMs: summarize(latencies),
    cpuMsPerPayment: Object.fromEntries(Object.entries(used).map(([name, ms]) => [name, ms / payments])),
  }
}

/** What is still to come when the load ends, answers and webhooks, must be what a second brings, or the backlog grows. */
const HOLDS_WITHIN_MS = 1000

export function holds(run: PacedRun): boolean {
  const { load, settled } = run
  const isAccepted = load.notSent === 0 && Object.keys(load.refused).length === 0
  return isAccepted && settled.missing.length === 0 && lateMs(run) <= HOLDS_WITHIN_MS
}

/** From the last call until every call was answered and every event had come, in milliseconds. */
export function lateMs({ load, settled, durationMs }: PacedRun): number {
  return Math.max(load.tookMs - durationMs, 0) + settled.afterMs
}

/** Compiles what orders alone do not run: payments, callbacks and second webhooks. */
export async function warmUpPayments(bench: Bench): Promise<void> {
  await runPaced(bench, { perSecond: 60, durationMs: 30_000, patienceMs: 30_000 })
}

/** The highest rate that holds without a growing backlog: half as much again as long as it does, then one look in between. */
export async function findHighestRate(bench: Bench, durationMs: number, tell: (run: PacedRun) => void): Promise<number> {
  const tryRate = async (perSecond: number): Promise<boolean> => {
    const run = await runPaced(bench, { perSecond, durationMs, patienceMs: 30_000 })
    tell(run)
    return holds(run)
  }
  let [highest, next] = [0, 60]
  while (next <= 2000 && (await tryRate(next))) [highest, next] = [next, Math.round(next * 1.5)]
  const between = Math.round((highest + next) / 2)
  return (await tryRate(between)) ? between : highest
}
