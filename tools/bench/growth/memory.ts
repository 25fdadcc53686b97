import { readFileSync } from 'node:fs'
import { untilSettled } from '@gateway-tools/load/receiver'
import { readStack } from '@gateway-infra/local/stack-file'
import { eventIds, type Bench } from '../payments/stack.ts'
import { growthOf, type MemorySample } from './memory-samples.ts'

export type MemoryResult = Awaited<ReturnType<typeof measureMemory>>

export interface MemoryRun {
  readonly payments: number
  /** Time of `performance.now()` at which the run ends, complete or not. */
  readonly endsAtMs: number
  readonly tell: (progress: string) => void
}

const BLOCK_MS = 5000
const SAMPLE_EVERY_MS = 500
const PATIENCE_MS = 30_000
const FIRST_RATE = 80
/** Answers and events that come this long after the last call say whether the rate holds. */
const TOO_FAST_AFTER_MS = 1500
const COULD_BE_FASTER_AFTER_MS = 700

/** Create, pay, webhooks acknowledged; at the highest rate that holds. Meanwhile reads the resident memory of every service. */
export async function measureMemory(bench: Bench, { payments, endsAtMs, tell }: MemoryRun) {
  const startedMs = performance.now()
  const samples: MemorySample[] = []
  let [done, refused, missing, perSecond] = [0, 0, 0, FIRST_RATE]
  const sampler = setInterval(() => samples.push({ payments: done, mb: readMemory(bench) }), SAMPLE_EVERY_MS)
  try {
    while (done < payments && performance.now() < endsAtMs) {
      await bench.receiver.call('take')
      const load = await bench.load.call('paced', 'pay', { perSecond, durationMs: BLOCK_MS })
      const expected = [...eventIds(load.transactionIds, 1), ...eventIds(load.paidIds, 2)]
      const settled = await untilSettled(bench.receiver, expected, PATIENCE_MS)
      done += load.paidIds.length
      refused += load.shed + load.failed
      missing += settled.missing.length
      const behindMs = load.tookMs - BLOCK_MS + settled.afterMs
      if (behindMs > TOO_FAST_AFTER_MS) perSecond = Math.max(FIRST_RATE / 2, perSecond * 0.85)
      else if (behindMs < COULD_BE_FASTER_AFTER_MS) perSecond *= 1.08
      tell(`${done} payments, ${perSecond.toFixed(0)}/s`)
    }
  } finally {
    clearInterval(sampler)
  }
  const processes = Object.keys(bench.stack.services).map((name) => growthOf(name, samples, done))
  return { payments: done, tookMs: performance.now() - startedMs, refused, missing, processes }
}

/** Reads the pids anew: a process that was started again has little memory, which must show. */
function readMemory({ stateDir }: Bench): Record<string, number> {
  const services = Object.entries(readStack(stateDir)?.services ?? {})
  return Object.fromEntries(services.map(([name, { pid }]) => [name, residentMb(pid)]))
}

/** Resident memory in MiB; NaN when the process is gone. Linux only (proc(5)). */
export function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024
  } catch {
    return NaN
  }
}
