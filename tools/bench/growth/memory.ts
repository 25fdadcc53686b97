import { memoryMb } from '../payments/cpu.ts'
import { eventIds, settle } from '../payments/settle.ts'
import { readStack, type Bench } from '../payments/stack.ts'
import { growthOf, type MemorySample, type ProcessMemory } from './memory-samples.ts'

export interface MemoryResult {
  readonly payments: number
  readonly tookMs: number
  readonly refused: number
  /** Events that never came. */
  readonly missing: number
  readonly processes: readonly ProcessMemory[]
}

export interface MemoryRun {
  readonly payments: number
  /** By `performance.now()`: whatever is done then is what there is. */
  readonly endsAtMs: number
  readonly tell: (progress: { payments: number; perSecond: number }) => void
}

const BLOCK_MS = 5000
const SAMPLE_EVERY_MS = 500
const PATIENCE_MS = 30_000
const FIRST_RATE = 80
/** What comes after the last call says whether the rate holds. */
const TOO_FAST_AFTER_MS = 1500
const COULD_BE_FASTER_AFTER_MS = 700

/** Create, pay, webhooks acknowledged; at the highest rate that holds, with the resident memory of every process read meanwhile. */
export async function measureMemory(bench: Bench, { payments, endsAtMs, tell }: MemoryRun): Promise<MemoryResult> {
  const startedMs = performance.now()
  const samples: MemorySample[] = []
  let [done, refused, missing, perSecond] = [0, 0, 0, FIRST_RATE]
  const sampler = setInterval(() => samples.push({ payments: done, mb: readMemory(bench) }), SAMPLE_EVERY_MS)
  try {
    while (done < payments && performance.now() < endsAtMs) {
      await bench.receiver.call({ kind: 'take' })
      const { transactionIds, paidIds, ...load } = await bench.load.call({ kind: 'pay', perSecond, durationMs: BLOCK_MS })
      const settled = await settle(bench, [...eventIds(transactionIds, 1), ...eventIds(paidIds, 2)], PATIENCE_MS)
      done += paidIds.length
      refused += Object.values(load.refused).reduce((sum, count) => sum + count, 0)
      missing += settled.missing.length
      const behindMs = load.tookMs - BLOCK_MS + settled.afterMs
      if (behindMs > TOO_FAST_AFTER_MS) perSecond = Math.max(FIRST_RATE / 2, perSecond * 0.85)
      else if (behindMs < COULD_BE_FASTER_AFTER_MS) perSecond *= 1.08
      tell({ payments: done, perSecond })
      // What was searched for is not here.
      await bench.load.call({ kind: 'forget' })
    }
  } finally {
    clearInterval(sampler)
  }
  const names = Object.keys(bench.stack.services)
  const processes = names.map((name) => growthOf(name, samples, done))
  return { payments: done, tookMs: performance.now() - startedMs, refused, missing, processes }
}

/** By the pids of now: a process that was started again has none of what the one before had, and shows. */
function readMemory({ stackFile }: Bench): Record<string, number> {
  return Object.fromEntries(Object.entries(readStack(stackFile).services).map(([name, { pid }]) => [name, memoryMb(pid)]))
}
