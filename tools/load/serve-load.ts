import { runCallers, runPaced, type Callers, type Pace } from './pacing.ts'
import { serveCommands, type Program } from './program.ts'
import type { Counts } from './recorder.ts'

/** A program that puts load on a stack; `Setup` says which stack. */
export type LoadProgram<Setup> = Program<LoadCommand<Setup>, LoadAnswer>

export type LoadCommand<Setup> =
  | { readonly kind: 'setup'; readonly setup: Setup }
  /** As fast as the callers can, each waiting for its answer. */
  | ({ readonly kind: 'callers'; readonly what: string } & Callers)
  /** At a rate, whatever the answers. */
  | ({ readonly kind: 'paced'; readonly what: string } & Omit<Pace, 'isStopped'>)
  /** At a rate, until `stop`. */
  | { readonly kind: 'start'; readonly what: string; readonly perSecond: number }
  | { readonly kind: 'stop' }

/** What happened since the last answer. */
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
  /** By the `what` of a command. A call resolves to `false` when nothing is left to call for. */
  readonly kinds: Readonly<Record<string, () => Promise<unknown>>>
  take(): Omit<LoadAnswer, 'tookMs' | 'notSent'>
  close(): Promise<void>
}

type OpenLoad<Setup> = (setup: Setup) => Load

/** Answers the commands of a `LoadProgram`. */
export function serveLoad<Setup>(open: OpenLoad<Setup>): void {
  let load: Load | undefined
  let running: Promise<unknown> = Promise.resolve()
  let isStopped = false

  /** Resolves with the number of calls that were not made. */
  async function run({ kinds }: Load, command: Exclude<LoadCommand<Setup>, { kind: 'setup' }>): Promise<number> {
    switch (command.kind) {
      case 'callers':
        await runCallers(command, callOf(kinds, command.what))
        return 0
      case 'paced':
        return runPaced(command, callOf(kinds, command.what))
      case 'start':
        isStopped = false
        running = runPaced({ ...command, durationMs: Infinity, isStopped: () => isStopped }, callOf(kinds, command.what))
        return 0
      case 'stop':
        isStopped = true
        await running
        return 0
    }
  }

  serveCommands<LoadCommand<Setup>, LoadAnswer>(async (command) => {
    const startedMs = performance.now()
    if (command.kind === 'setup') {
      await load?.close()
      load = open(command.setup)
      return { ...load.take(), tookMs: 0, notSent: 0 }
    }
    if (!load) throw new Error('the first command is setup')
    // What a start sends is in the answer of its stop.
    const before = command.kind === 'start' ? load.take() : undefined
    const notSent = await run(load, command)
    return { ...(before ?? load.take()), tookMs: performance.now() - startedMs, notSent }
  })
}

function callOf(kinds: Load['kinds'], what: string): () => Promise<unknown> {
  const call = kinds[what]
  if (!call) throw new Error(`there is no load ${what}; there are ${Object.keys(kinds).join(', ')}`)
  return call
}
