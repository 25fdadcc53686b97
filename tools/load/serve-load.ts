import { runCallers, runPaced, type Callers, type Pace } from './pacing.ts'
import type { Program } from './program.ts'
import type { Counts } from './recorder.ts'

/** A program that puts load on a stack; `Setup` says which stack. */
export type LoadProgram<Setup> = Program<ReturnType<typeof loadFunctions<Setup>>>

/** What happened in one run. */
export interface LoadAnswer extends Counts {
  /** Transactions of the orders that were accepted. */
  readonly transactionIds: readonly string[]
  /** Transactions whose payment the network took. */
  readonly paidIds: readonly string[]
  /** Until the last answer, in milliseconds. */
  readonly tookMs: number
  /** Calls that were not made, because too many waited for their answers. */
  readonly notSent: number
}

/** What one load program can do. */
export interface Load {
  /** A call resolves to `false` when nothing is left to call for. */
  readonly kinds: Readonly<Record<string, () => Promise<unknown>>>
  /** What happened since the last look. */
  take(): Omit<LoadAnswer, 'tookMs' | 'notSent'>
  close(): Promise<void>
}

/** The functions of a `LoadProgram`; `what` is one of the load's kinds. Runs follow one another. */
export function loadFunctions<Setup>(open: (setup: Setup) => Load) {
  let load: Load | undefined
  let isStopped = false

  /** @param run resolves to the number of calls that were not made */
  async function measure(what: string, run: (call: () => Promise<unknown>) => Promise<number>): Promise<LoadAnswer> {
    if (!load) throw new Error('the first call is setup')
    const call = load.kinds[what]
    if (!call) throw new Error(`there is no load ${what}; there are ${Object.keys(load.kinds).join(', ')}`)
    isStopped = false
    const startedMs = performance.now()
    const notSent = await run(call)
    return { ...load.take(), tookMs: performance.now() - startedMs, notSent }
  }

  return {
    async setup(setup: Setup): Promise<void> {
      await load?.close()
      load = open(setup)
    },
    /** As fast as the callers can, each waiting for its answer. */
    callers: (what: string, callers: Callers) =>
      measure(what, async (call) => {
        await runCallers(callers, call)
        return 0
      }),
    /** At a rate, whatever the answers; a run without end lasts until `stop`. */
    paced: (what: string, pace: Omit<Pace, 'isStopped'>) =>
      measure(what, (call) => runPaced({ ...pace, isStopped: () => isStopped }, call)),
    stop() {
      isStopped = true
    },
  }
}
