import { readStack } from '@gateway-infra/local/stack-file'
import { residentMb } from '@gateway-infra/system/processes'
import { lateMs, runPayments } from './end-to-end.ts'
import type { Bench } from './stack.ts'

/** Resident memory of each process, in MiB, when so many payments were done. */
export interface MemorySample {
  readonly payments: number
  readonly mb: Readonly<Record<string, number>>
}

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

const TENTHS = 10
/** Payments before each mark, of a tenth, whose samples count: memory goes up and down by several MiB between collections. */
const WINDOW = 0.3

export function growthOf(name: string, samples: readonly MemorySample[], payments: number) {
  const tenth = payments / TENTHS
  const near = (mark: number): number => {
    const before = samples.filter((one) => one.payments <= mark * tenth)
    // In a short run several marks may lie between two samples.
    const from = Math.min((mark - WINDOW) * tenth, highest(before.map((one) => one.payments)))
    return highest(before.filter((one) => one.payments >= from).map(({ mb }) => mb[name]))
  }
  const tenthsMb = Array.from({ length: TENTHS }, (_, index) => near(index + 1))
  const [first = NaN, middle = NaN, last = NaN] = [tenthsMb[0], tenthsMb[TENTHS / 2 - 1], tenthsMb.at(-1)]
  return {
    name,
    /** The highest that was seen about then: a tenth of all payments, two tenths, and so on. */
    tenthsMb,
    /** After all payments ÷ after the first tenth. */
    ratio: last / first,
    maxMb: highest(samples.map(({ mb }) => mb[name])),
    /** Growth per tenth in the second half; a leak would continue at this rate. */
    addedPerTenthMb: (last - middle) / (TENTHS / 2),
  }
}

/** NaN when there is none, or when one could not be read: a figure that is missing must not look like a good one. */
function highest(values: readonly (number | undefined)[]): number {
  return values.length === 0 ? NaN : Math.max(...values.map((value) => value ?? NaN))
}
