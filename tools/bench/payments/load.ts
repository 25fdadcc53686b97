/** The merchants: a program of its own that calls the public API, as cheaply as a client can. */
import { serveCommands } from './program.ts'
import { createShop, type Shop } from './shop.ts'
import { runClosed, runOpen } from './pacing.ts'
import type { Credentials } from './token.ts'

export interface LoadSetup {
  readonly kind: 'setup'
  readonly baseUrl: string
  readonly networkUrl: string
  readonly merchants: readonly Credentials[]
}

export type LoadCommand =
  | LoadSetup
  /** As fast as `concurrency` callers can, each waiting for its answer. */
  | { readonly kind: 'create' | 'search'; readonly concurrency: number; readonly durationMs: number }
  /** Create and pay, so many a second, whatever the answers. */
  | { readonly kind: 'pay'; readonly perSecond: number; readonly durationMs: number }
  /** The orders that later searches are for are those of now on. */
  | { readonly kind: 'forget' }

export interface LoadAnswer {
  /** Milliseconds of each call that was accepted. */
  readonly latenciesMs: readonly number[]
  /** Of the orders that were accepted. */
  readonly transactionIds: readonly string[]
  /** Orders whose payment was taken by the network. */
  readonly paidIds: readonly string[]
  /** What was not accepted, by status. */
  readonly refused: Readonly<Record<string, number>>
  /** Refusals with 429 or 503 that do not say when to come again. */
  readonly withoutRetryAfter: number
  /** How long it took until the last answer. */
  readonly tookMs: number
  /** Calls that were not made, since too many waited for their answers. */
  readonly notSent: number
}

let shop: Shop | undefined

serveCommands<LoadCommand, LoadAnswer>(async (command) => {
  if (command.kind === 'setup') {
    await shop?.close()
    shop = createShop(command)
    return shop.results(0, 0)
  }
  if (!shop) throw new Error('the first command is setup')
  await shop.renewTokens()
  const startedMs = performance.now()
  const notSent = await run(shop, command)
  return shop.results(performance.now() - startedMs, notSent)
})

async function run(from: Shop, command: Exclude<LoadCommand, LoadSetup>): Promise<number> {
  switch (command.kind) {
    case 'create':
      await runClosed(command, from.create)
      return 0
    case 'search':
      await runClosed(command, from.search)
      return 0
    case 'pay':
      return runOpen(command, from.createAndPay)
    case 'forget':
      from.forget()
      return 0
  }
}
