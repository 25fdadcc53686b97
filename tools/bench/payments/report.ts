import { fixed, table } from '@gateway-tools/load/figures'
import type { LoadAnswer } from '@gateway-tools/load/merchant-load'
import { summarize } from '@gateway-tools/load/statistics'
import type { CallersResult, CreateResult } from './create.ts'
import { lateMs, type PacedRun } from './end-to-end.ts'
import type { MemoryResult } from './memory.ts'

export function describeCreate(result: CreateResult): string {
  const { undelivered, settledAfterMs } = result
  return [
    describeCallers('create', 'insertOne', result),
    undelivered > 0
      ? `  DOES NOT COUNT: ${undelivered} events had not arrived 5 s after the end`
      : `  every event delivered ${fixed(settledAfterMs / 1000, 2)} s after the end`,
  ].join('\n')
}

export function describeCallers(what: string, limit: string, result: CallersResult): string {
  const { concurrency, perSecond, latencyMs, load, limitPerSecond, limitP50Ms, ratio, p50Ratio } = result
  return [
    `${what} @${concurrency}: ${fixed(perSecond, 0)}/s, p50 ${fixed(latencyMs.p50)} ms, p99 ${fixed(latencyMs.p99)} ms${refusals(load)}`,
    `  ${limit}: ${fixed(limitPerSecond, 0)}/s, p50 ${fixed(limitP50Ms)} ms; ratio ${fixed(ratio, 2)}, of p50 ${fixed(p50Ratio, 2)}`,
  ].join('\n')
}

export function describePaced({ perSecond, load, settled, latencyMs }: PacedRun): string {
  const { transactionIds, paidIds, notSent } = load
  const missing = settled.missing.length > 0 ? `; ${settled.missing.length} events missing` : ''
  return [
    `${fixed(perSecond, 0)}/s: ${transactionIds.length} created, ${paidIds.length} paid${refusals(load)}${notSent > 0 ? `; ${notSent} not sent` : ''}`,
    `  committed → arrived: p50 ${fixed(latencyMs.p50)} ms, p99 ${fixed(latencyMs.p99)} ms (${latencyMs.count} events); all ${fixed(settled.afterMs / 1000, 2)} s after the end${missing}`,
  ].join('\n')
}

/** Twice the rate that holds: the gateway refuses what is too much, and finishes what it accepted. */
export function describeOverload(run: PacedRun): string {
  const { load, settled } = run
  const { p50, p99 } = summarize(load.latenciesMs)
  return [
    `overload ${describePaced(run)}`,
    `  accepted ${load.transactionIds.length} (p50 ${fixed(p50)} ms, p99 ${fixed(p99)} ms), shed ${load.shed} by 429 or 503, refused otherwise or without Retry-After ${load.failed}`,
    `  lost ${settled.missing.length}; recovered ${fixed(lateMs(run) / 1000)} s after the end`,
  ].join('\n')
}

export function describeMemory({ payments, processes }: MemoryResult): string {
  const tenths = Array.from({ length: 10 }, (_, index) => `${fixed((payments * (index + 1)) / 10_000)}k`)
  return table([
    ['MiB after', ...tenths, 'ratio', 'max', 'added per tenth in the second half'],
    ...processes.map(({ name, tenthsMb, ratio, maxMb, addedPerTenthMb }) => [
      ...[name, ...tenthsMb.map((mb) => fixed(mb, 0)), fixed(ratio, 2), fixed(maxMb, 0), fixed(addedPerTenthMb)],
    ]),
  ])
}

function refusals({ failures }: LoadAnswer): string {
  const parts = Object.entries(failures).map(([failure, count]) => `${count} × ${failure}`)
  return parts.length > 0 ? `; refused ${parts.join(', ')}` : ''
}
