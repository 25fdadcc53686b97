/** Merchants and shoppers of one stack, as a program of its own. */
import { merchantCalls, type MerchantLoadSetup } from './merchant-calls.ts'
import { runCallers, runPaced, type Callers, type Pace } from './pacing.ts'
import { openProgram, serveProgram, type Program } from './program.ts'

export type MerchantLoad = Program<typeof functions>
/** What happened in one run. */
export type LoadAnswer = Awaited<ReturnType<typeof measure>>

export function openMerchantLoad(): MerchantLoad {
  return openProgram(import.meta.filename)
}

type Load = ReturnType<typeof merchantCalls>
type Kind = keyof Load['kinds']

let load: Load | undefined
let isStopped = false

/** @param run resolves to the number of calls that were not made, because too many waited for their answers */
async function measure(kind: Kind, run: (call: () => Promise<unknown>) => Promise<number>) {
  if (!load) throw new Error('the first call is setup')
  isStopped = false
  const startedMs = performance.now()
  const notSent = await run(load.kinds[kind])
  /** `tookMs`: until the last answer. */
  return { ...load.take(), tookMs: performance.now() - startedMs, notSent }
}

/** Runs follow one another. */
const functions = {
  async setup(setup: MerchantLoadSetup): Promise<void> {
    await load?.close()
    load = merchantCalls(setup)
  },
  /** As fast as the callers can, each waiting for its answer. */
  callers: (kind: Kind, callers: Callers) =>
    measure(kind, async (call) => {
      await runCallers(callers, call)
      return 0
    }),
  /** Starts calls at a rate, however slow the answers are. With an infinite `durationMs` they go on until `stop`. */
  paced: (kind: Kind, pace: Omit<Pace, 'isStopped'>) =>
    measure(kind, (call) => runPaced({ ...pace, isStopped: () => isStopped }, call)),
  stop() {
    isStopped = true
  },
}

serveProgram(import.meta.filename, functions)
