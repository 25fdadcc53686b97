import { rounded } from '@gateway-tools/load/figures'
import { summarize } from '@gateway-tools/load/statistics'
import type { CallersResult } from './create.ts'
import { lateMs, type PacedRun } from './end-to-end.ts'

/** What one run of callers did, and what the database alone did beside it. */
export function callersFigures({ concurrency, latencyMs, load, perSecond, ...run }: CallersResult) {
  return {
    ...{ callers: concurrency, per_second: rounded(perSecond), ratio: rounded(run.ratio), p50_ratio: rounded(run.p50Ratio) },
    ...{ p50_ms: rounded(latencyMs.p50), p99_ms: rounded(latencyMs.p99), failures: load.failures },
    ...{ limit_per_second: rounded(run.limitPerSecond), limit_p50_ms: rounded(run.limitP50Ms) },
  }
}

/** What one paced run did: `p50_ms` and `p99_ms` from the committed status change to the webhook, `answer_…` of the calls. */
export function pacedFigures(run: PacedRun) {
  const { perSecond, load, settled, latencyMs } = run
  const answers = summarize(load.latenciesMs)
  return {
    ...{ per_second: rounded(perSecond), created: load.transactionIds.length, paid: load.paidIds.length },
    ...{ not_sent: load.notSent, shed: load.shed, failed: load.failed, failures: load.failures },
    ...{ p50_ms: rounded(latencyMs.p50), p99_ms: rounded(latencyMs.p99), events: latencyMs.count },
    ...{ answer_p50_ms: rounded(answers.p50), answer_p99_ms: rounded(answers.p99) },
    ...{ missing: settled.missing.length, late_s: rounded(lateMs(run) / 1000) },
  }
}
