import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import type { CreateResult } from './create.ts'
import type { PacedRun } from './end-to-end.ts'
import type { OverloadResult } from './overload.ts'
import type { SearchResult } from './search.ts'

export function describeCreate(result: CreateResult): string {
  const { concurrency, ordersPerSecond, p50Ms, p99Ms, limitPerSecond, limitP50Ms, ratio, p50Ratio, undelivered } = result
  return [
    `create @${concurrency}: ${fixed(ordersPerSecond, 0)}/s, p50 ${fixed(p50Ms)} ms, p99 ${fixed(p99Ms)} ms${refusals(result.refused)}`,
    `  insertOne: ${fixed(limitPerSecond, 0)}/s, p50 ${fixed(limitP50Ms)} ms; ratio ${fixed(ratio, 2)}, of p50 ${fixed(p50Ratio, 2)}`,
    undelivered > 0
      ? `  DOES NOT COUNT: ${undelivered} events had not arrived 5 s after the end`
      : `  every event delivered ${fixed(result.settledAfterMs / 1000, 2)} s after the end`,
    `  ${describeCpu(result.cpuMsPerOrder, 'order')}`,
  ].join('\n')
}

export function describeSearch(result: SearchResult): string {
  const { concurrency, searchesPerSecond, p50Ms, p99Ms, limitPerSecond, ratio } = result
  return [
    `search @${concurrency}: ${fixed(searchesPerSecond, 0)}/s, p50 ${fixed(p50Ms)} ms, p99 ${fixed(p99Ms)} ms${refusals(result.refused)}`,
    `  findOne: ${fixed(limitPerSecond, 0)}/s; ratio ${fixed(ratio, 2)}`,
    `  ${describeCpu(result.cpuMsPerSearch, 'search')}`,
  ].join('\n')
}

export function describePaced({ perSecond, load, settled, latencyMs, cpuMsPerPayment }: PacedRun): string {
  const { transactionIds, paidIds, refused, notSent } = load
  // A refused payment costs less than one that was made: such a mean is no payment's.
  const each = paidIds.length === transactionIds.length ? 'payment' : 'order, of which not all were paid'
  const late = settled.missing.length > 0 ? `; ${settled.missing.length} events missing` : ''
  return [
    `${fixed(perSecond, 0)}/s: ${transactionIds.length} created, ${paidIds.length} paid${refusals(refused)}${notSent > 0 ? `; ${notSent} not sent` : ''}`,
    `  committed → arrived: p50 ${fixed(latencyMs.p50)} ms, p99 ${fixed(latencyMs.p99)} ms (${latencyMs.count} events); all ${fixed(settled.afterMs / 1000, 2)} s after the end${late}`,
    `  ${describeCpu(cpuMsPerPayment, each)}`,
  ].join('\n')
}

export function describeOverload({ run, ...result }: OverloadResult): string {
  return [
    `overload ${describePaced(run)}`,
    `  accepted ${result.accepted} (p50 ${fixed(result.p50Ms)} ms, p99 ${fixed(result.p99Ms)} ms), shed ${result.shed} by 429 or 503, refused otherwise or without Retry-After ${result.rude}`,
    `  lost ${result.lost}; recovered ${fixed(result.recoveredAfterMs / 1000)} s after the end`,
  ].join('\n')
}

/** What the figures were measured on: they are ratios first of all, and mean little without this. */
export function describeMachine() {
  return {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 1024 ** 3)} GiB`,
    versions: { node: process.version, platform: `${process.platform} ${process.arch}` },
    commit: commit(),
    at: new Date().toISOString(),
  }
}

export function describeCpu(msPer: Readonly<Record<string, number>>, what: string): string {
  const parts = Object.entries(msPer)
    .filter(([, ms]) => ms >= 0.005)
    .sort(([, one], [, other]) => other - one)
  const total = parts.reduce((sum, [, ms]) => sum + ms, 0)
  return `CPU ms per ${what}: ${fixed(total, 2)} = ${parts.map(([name, ms]) => `${name} ${fixed(ms, 2)}`).join(' + ')}`
}

export function refusals(refused: Readonly<Record<string, number>>): string {
  const parts = Object.entries(refused).map(([reason, count]) => `${count} × ${reason}`)
  return parts.length > 0 ? `; refused ${parts.join(', ')}` : ''
}

export function fixed(value: number, digits = 1): string {
  return value.toFixed(digits)
}

/** With three figures: more would say more than a measurement can. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
