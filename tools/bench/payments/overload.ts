import { lateMs, runPaced, type PacedRun } from './end-to-end.ts'
import type { Bench } from './stack.ts'
import { summarize } from './statistics.ts'

export interface OverloadResult {
  readonly run: PacedRun
  readonly accepted: number
  readonly shed: number
  /** Refusals that are neither 429 nor 503, or do not say when to come again. */
  readonly rude: number
  /** Events of accepted orders that never came. */
  readonly lost: number
  /** Until every call was answered and every accepted order complete, from the last call on. */
  readonly recoveredAfterMs: number
  /** Of the accepted ones. */
  readonly p50Ms: number
  readonly p99Ms: number
}

/** An event that has not come so long after the end is lost. */
const PATIENCE_MS = 60_000

/** Twice what holds: the gateway refuses what is too much, and what it accepted it finishes. */
export async function benchOverload(bench: Bench, perSecond: number, durationMs: number): Promise<OverloadResult> {
  const run = await runPaced(bench, { perSecond, durationMs, patienceMs: PATIENCE_MS })
  const { refused, withoutRetryAfter, transactionIds, latenciesMs } = run.load
  const shed = (refused['429'] ?? 0) + (refused['503'] ?? 0)
  const others = Object.values(refused).reduce((sum, count) => sum + count, 0) - shed
  const { p50, p99 } = summarize(latenciesMs)
  return {
    run,
    accepted: transactionIds.length,
    shed,
    rude: others + withoutRetryAfter,
    lost: run.settled.missing.length,
    recoveredAfterMs: lateMs(run),
    p50Ms: p50,
    p99Ms: p99,
  }
}
