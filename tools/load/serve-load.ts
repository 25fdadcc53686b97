import type { Counts } from './caller.ts'
import { runCallers, runPaced, type Callers, type Pace } from './pacing.ts'
import { serveCommands, type Program } from './program.ts'

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
  /** Runs before every command; a long run repeats it. */
  renewTokens(): Promise<void>
  /** By the `what` of a command. `false` when nothing is left to call for. */
  readonly kinds: Readonly<Record<string, () => Promise<unknown>>>
  take(): Omit<LoadAnswer, 'tookMs' | 'notSent'>
  close(): Promise<void>
}

const RENEW_EVERY_MS = 20_000
const NO_COUNTS = { sent: 0, shed: 0, failed: 0, failures: {}, latenciesMs: [] }
/** Answers commands after which nothing has happened yet. */
const NOTHING: LoadAnswer = { ...NO_COUNTS, transactionIds: [], paidIds: [], tookMs: 0, notSent: 0 }

type Run<Setup> = Exclude<LoadCommand<Setup>, { kind: 'setup' | 'start' }>

/** Answers the commands of a `LoadProgram`. */
export function serveLoad<Setup>(open: (setup: Setup) => Load): void {
  let load: Load | undefined
  let running: Promise<unknown> = Promise.resolve()
  let isStopped = false

  async function keepUp({ renewTokens, kinds }: Load, what: string, perSecond: number): Promise<void> {
    await renewTokens()
    const renewing = setInterval(() => void renewTokens(), RENEW_EVERY_MS)
    await runPaced({ perSecond, durationMs: Infinity, isStopped: () => isStopped }, callOf(kinds, what))
    clearInterval(renewing)
  }

  async function run(from: Load, command: Run<Setup>): Promise<number> {
    if (command.kind === 'stop') {
      isStopped = true
      await running
      return 0
    }
    await from.renewTokens()
    const call = callOf(from.kinds, command.what)
    if (command.kind === 'paced') return runPaced(command, call)
    await runCallers(command, call)
    return 0
  }

  serveCommands<LoadCommand<Setup>, LoadAnswer>(async (command) => {
    if (command.kind === 'setup') {
      await load?.close()
      load = open(command.setup)
      return NOTHING
    }
    if (!load) throw new Error('the first command is setup')
    if (command.kind === 'start') {
      isStopped = false
      running = keepUp(load, command.what, command.perSecond)
      return NOTHING
    }
    const startedMs = performance.now()
    const notSent = await run(load, command)
    return { ...load.take(), tookMs: performance.now() - startedMs, notSent }
  })
}

function callOf(kinds: Load['kinds'], what: string): () => Promise<unknown> {
  const call = kinds[what]
  if (!call) throw new Error(`there is no load ${what}; there are ${Object.keys(kinds).join(', ')}`)
  return call
}
