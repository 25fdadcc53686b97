import { readStack } from '@gateway-infra/local/stack-file'
import { residentMb } from '@gateway-infra/system/processes'
import { lateMs, runPayments } from './end-to-end.ts'
import type { Bench } from './stack.ts'
import { growthOf, type MemorySample } from './memory-samples.ts'

const BLOCK_MS = 5000
const SAMPLE_EVERY_MS = 500
const PATIENCE_MS = 30_000
const FIRST_RATE = 80
/** Answers and events that come this long after the last call say whether the rate holds. */
const TOO_FAST_AFTER_MS = 1500
const COULD_BE_FASTER_AFTER_MS = 700

/** Create, pay, webhooks acknowledged; at the highest rate that holds. Meanwhile reads the resident memory of every service. */
export async function benchMemory(bench: Bench, payments: number) {
  const samples: MemorySample[] = []
  let [done, missing, perSecond] = [0, 0, FIRST_RATE]
  const sampler = setInterval(() => samples.push({ payments: done, mb: readMemory(bench) }), SAMPLE_EVERY_MS)
  try {
    while (done < payments) {
      const run = await runPayments(bench, { perSecond, durationMs: BLOCK_MS, patienceMs: PATIENCE_MS })
      done += run.load.paidIds.length
      missing += run.settled.missing.length
      const behindMs = lateMs(run)
      if (behindMs > TOO_FAST_AFTER_MS) perSecond = Math.max(FIRST_RATE / 2, perSecond * 0.85)
      else if (behindMs < COULD_BE_FASTER_AFTER_MS) perSecond *= 1.08
      console.error(`${done} payments, ${perSecond.toFixed(0)}/s`)
    }
  } finally {
    clearInterval(sampler)
  }
  const processes = Object.keys(bench.stack.services).map((name) => growthOf(name, samples, done))
  return { payments: done, missing, processes }
}

/** Reads the pids anew: a process that was started again has little memory, which must show. */
function readMemory({ stateDir }: Bench): Record<string, number> {
  const services = Object.entries(readStack(stateDir)?.services ?? {})
  return Object.fromEntries(services.map(([name, { pid }]) => [name, residentMb(pid)]))
}
