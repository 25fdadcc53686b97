import { cpuBetween, readCpu } from './cpu.ts'
import { eventIds, settle } from './settle.ts'
import { connectLimit, type Bench } from './stack.ts'
import { mean, summarize } from './statistics.ts'

export interface CreateResult {
  readonly concurrency: number
  readonly ordersPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly refused: Readonly<Record<string, number>>
  readonly limitPerSecond: number
  readonly limitP50Ms: number
  /** Until every event had been delivered after the last order, in milliseconds. */
  readonly settledAfterMs: number
  /** Events that had not arrived 5 s after the end: the run counts only without any. */
  readonly undelivered: number
  /** CPU milliseconds per order, until everything was delivered. */
  readonly cpuMsPerOrder: Readonly<Record<string, number>>
  readonly ratio: number
  readonly p50Ratio: number
}

const DELIVERED_WITHIN_MS = 5000
/** Past the deadline it is still waited for, so that the next run begins with nothing left to do. */
const PATIENCE_MS = 60_000

/** What was run some thousand times is compiled, whatever else the machine does meanwhile; fewer cost searches a third of their rate. */
const WARM_AFTER_ORDERS = 10_000
const WARM_ROUND_MS = 2000
const WARM_ROUNDS_AT_MOST = 15

/** Compiles what is hot, makes the caches warm, and measures how large a stored order is. */
export async function warmUp(bench: Bench, atLeast = WARM_AFTER_ORDERS): Promise<number> {
  for (let [orders, round] = [0, 0]; orders < atLeast && round < WARM_ROUNDS_AT_MOST; round++) {
    const { transactionIds } = await bench.load.call({ kind: 'create', concurrency: 32, durationMs: WARM_ROUND_MS })
    await bench.load.call({ kind: 'search', concurrency: 32, durationMs: WARM_ROUND_MS / 2 })
    await settle(bench, eventIds(transactionIds, 1), PATIENCE_MS)
    orders += transactionIds.length
  }
  const documentBytes = await connectLimit(bench)
  await bench.limit.call({ kind: 'insertOne', concurrency: 32, durationMs: WARM_ROUND_MS })
  return documentBytes
}

/** The limit is measured right before and right after, so that a machine that slows down slows both. */
export async function benchCreate(bench: Bench, concurrency: number, durationMs: number): Promise<CreateResult> {
  const limitMs = durationMs / 3
  const before = await insertOne(bench, concurrency, limitMs)
  await bench.receiver.call({ kind: 'take' })
  const cpu = readCpu(bench.groups)
  const { transactionIds, latenciesMs, refused, tookMs } = await bench.load.call({ kind: 'create', concurrency, durationMs })
  const settled = await settle(bench, eventIds(transactionIds, 1), DELIVERED_WITHIN_MS)
  const used = cpuBetween(cpu, readCpu(bench.groups))
  if (settled.missing.length > 0) await settle(bench, eventIds(transactionIds, 1), PATIENCE_MS)
  const after = await insertOne(bench, concurrency, limitMs)

  const { p50, p99 } = summarize(latenciesMs)
  const ordersPerSecond = (transactionIds.length * 1000) / tookMs
  const limitPerSecond = mean([before.perSecond, after.perSecond])
  const limitP50Ms = mean([before.p50, after.p50])
  return {
    concurrency,
    ordersPerSecond,
    p50Ms: p50,
    p99Ms: p99,
    refused,
    limitPerSecond,
    limitP50Ms,
    settledAfterMs: settled.afterMs,
    undelivered: settled.missing.length,
    cpuMsPerOrder: Object.fromEntries(Object.entries(used).map(([name, ms]) => [name, ms / transactionIds.length])),
    ratio: ordersPerSecond / limitPerSecond,
    p50Ratio: p50 / limitP50Ms,
  }
}

async function insertOne(
  { limit }: Bench,
  concurrency: number,
  durationMs: number,
): Promise<{ readonly perSecond: number; readonly p50: number }> {
  const { latenciesMs, tookMs } = await limit.call({ kind: 'insertOne', concurrency, durationMs })
  return { perSecond: (latenciesMs.length * 1000) / tookMs, p50: summarize(latenciesMs).p50 }
}
