/** Merchants and shoppers: a program of its own that keeps up a rate until it is told to stop. */
import { runOpen } from '@gateway-tools/bench/payments/pacing'
import { serveCommands } from '@gateway-tools/bench/payments/program'
import { createCaller, type Counts } from './caller.ts'
import { makeJourneys, type JourneyOptions, type Journeys } from './journey.ts'

export type LoadCommand =
  { readonly kind: 'start'; readonly perSecond: number; readonly options: JourneyOptions } | { readonly kind: 'look' | 'stop' }

export interface LoadAnswer extends Counts {
  readonly created: readonly string[]
  readonly paid: readonly string[]
}

const ROUND_MS = 1000
const RENEW_EVERY_ROUNDS = 20

const caller = createCaller()
let journeys: Journeys | undefined
let stopped = false
let running: Promise<void> | undefined

serveCommands<LoadCommand, LoadAnswer>(async (command) => {
  if (command.kind === 'start') {
    journeys = makeJourneys(caller, command.options)
    await journeys.renewTokens()
    running = keepUp(journeys, command.perSecond)
  } else if (command.kind === 'stop') {
    stopped = true
    await running
    await caller.close()
  }
  return { ...caller.counts, created: journeys?.created ?? [], paid: journeys?.paid ?? [] }
})

/** Rounds overlap: one that has slow answers does not make the next one late. */
async function keepUp(from: Journeys, perSecond: number): Promise<void> {
  const rounds: Promise<unknown>[] = []
  for (let round = 1; !stopped; round++) {
    const next = new Promise((resolve) => setTimeout(resolve, ROUND_MS))
    rounds.push(runOpen({ perSecond, durationMs: ROUND_MS }, from.once))
    if (round % RENEW_EVERY_ROUNDS === 0) rounds.push(from.renewTokens())
    await next
  }
  await Promise.all(rounds)
}
