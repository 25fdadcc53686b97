/** Merchants and the network of one stack: a program of its own, as cheap as a client can be. */
import type { BenchMerchant } from '../payments/merchants.ts'
import { serveCommands } from '../payments/program.ts'
import { createCaller, type Caller } from './caller.ts'

export interface GrowthSetup {
  readonly kind: 'setup'
  readonly baseUrl: string
  readonly callbackSecret: string
  readonly merchants: readonly BenchMerchant[]
  /** Payments that the databases were filled with: the orders that searches are for. */
  readonly stored: number
}

export const KINDS = ['create', 'search', 'searchAgain', 'change'] as const
export type Kind = (typeof KINDS)[number]

export interface GrowthRun {
  readonly kind: 'run'
  readonly what: Kind
  readonly concurrency: number
  readonly durationMs: number
  /** The run ends after so many calls, too. */
  readonly maxCalls: number
}

export type GrowthCommand = GrowthSetup | GrowthRun

export interface GrowthAnswer {
  /** Milliseconds of each call that was accepted. */
  readonly latenciesMs: readonly number[]
  /** What webhooks are to come of. */
  readonly eventIds: readonly string[]
  /** What was not accepted, by status. */
  readonly refused: Readonly<Record<string, number>>
}

let caller: Caller | undefined

serveCommands<GrowthCommand, GrowthAnswer>(async (command) => {
  if (command.kind === 'setup') {
    await caller?.close()
    caller = createCaller(command)
    return caller.take()
  }
  if (!caller) throw new Error('the first command is setup')
  await caller.renewTokens()
  await runWhile(caller[command.what], command)
  return caller.take()
})

/** As many callers as `concurrency`, each calling again as soon as it has its answer, until the time is over or there is nothing left. */
async function runWhile(call: () => Promise<boolean>, { concurrency, durationMs, maxCalls }: GrowthRun): Promise<void> {
  const endsAt = performance.now() + durationMs
  let calls = 0
  const one = async (): Promise<void> => {
    while (performance.now() < endsAt && (calls += 1) <= maxCalls && (await call()));
  }
  await Promise.all(Array.from({ length: concurrency }, one))
}
