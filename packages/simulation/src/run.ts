import { setTimeout as sleep } from 'node:timers/promises'
import mongoose from 'mongoose'
import { MERCHANT_IDS } from './actors/merchants.ts'
import { runJourneys } from './actors/journeys.ts'
import { checkMoney, deadLettered, finalHistory, isQuiet, leftToDo, marksOf } from './check/final.ts'
import { violationsOf } from './check/rules.ts'
import { SimulatedProcess } from './kernel/process.ts'
import { execute } from './plan/execute.ts'
import type { Plan } from './plan/plan.ts'
import { createWorld, type SimulatedWorld } from './world.ts'

export type RunResult = Awaited<ReturnType<typeof runPlan>>

/** Orders are created in this time; faults begin in it too. */
export const LOAD_MS = 15_000
const CLOCKS_DIFFER_MS = 500
const START_WITHIN_MS = 60_000
const FAULTS_END_MS = 26_000
/** How long everything may take to come to rest after the last fault. */
const SETTLE_WITHIN_MS = 240_000
const LOOK_EVERY_MS = 1000
/** A webhook or a reversal too many would come in this time. */
const STAYS_QUIET_MS = 3000

/** Runs one plan from the start of the services until everything is at rest, and checks every rule. */
export async function runPlan(plan: Plan, payments: number, onLine?: (line: string) => void) {
  const world = createWorld(plan)
  const { kernel, violations } = world
  kernel.onLine = onLine
  const actors = new SimulatedProcess(kernel, 'merchants')
  let phase: 'starting' | 'running' | 'ended' = 'starting'
  const stopWatching = watchErrors(world)
  try {
    actors.run(() => void play())
    if (!(await kernel.runUntil(() => phase !== 'starting', kernel.startMs + START_WITHIN_MS)))
      throw new Error('the services did not start')
    const heal = execute(plan, world)
    await kernel.runUntil(() => false, kernel.nowMs + FAULTS_END_MS)
    heal()
    await settle(world, () => phase === 'ended')
  } finally {
    stopWatching()
    // Mongoose keeps every connection that was not closed, and with it the whole world.
    mongoose.connections.length = 0
  }
  const history = finalHistory(world)
  violations.push(...violationsOf(history))
  for (const what of checkMoney(world.bank.payments)) violations.push({ rule: 'S6 money in the books', what })
  for (const what of deadLettered(world)) violations.push({ rule: 'S12 dead queues are empty', what })
  for (const what of leftToDo(world)) violations.push({ rule: 'L1 nothing is left to do', what })
  return {
    violations,
    digest: kernel.digest(),
    payments: new Set(
      history.operations.filter(({ action, type }) => action.f === 'create' && type === 'ok').map(({ action }) => action.order),
    ).size,
    marks: [...world.marks, ...marksOf(world)],
    /** Hot queries that more shards had to answer than they named slots. */
    hotBeyondSlots: world.queries.hotBeyondSlots,
    lastLines: kernel.lastLines,
    virtualMs: kernel.elapsedMs,
  }

  async function play(): Promise<void> {
    await world.fleet.start()
    for (const id of MERCHANT_IDS) world.receiver.serve(id, await world.merchants.register(id))
    // An order of the next moment may be older than the registration, by the clock of another replica.
    await sleep(CLOCKS_DIFFER_MS)
    phase = 'running'
    await Promise.all([runJourneys({ process: actors, ...world, payments, withinMs: LOAD_MS }), world.operator.run()])
    phase = 'ended'
  }
}

/** Runs until everything is at rest, or the time is over: then the rules say what is missing. */
async function settle(world: SimulatedWorld, isEnded: () => boolean): Promise<void> {
  const { kernel } = world
  const endMs = kernel.nowMs + SETTLE_WITHIN_MS
  for (let quietSinceMs = Infinity; kernel.nowMs < endMs && kernel.nowMs - quietSinceMs < STAYS_QUIET_MS;) {
    await kernel.runUntil(() => false, kernel.nowMs + LOOK_EVERY_MS)
    if (!isEnded() || !isQuiet(world)) quietSinceMs = Infinity
    else if (quietSinceMs === Infinity) quietSinceMs = kernel.nowMs
  }
}

/** S12: no error of a living process goes unhandled. As in production, it ends the process. */
function watchErrors({ kernel, violations }: SimulatedWorld): () => void {
  const onError = (error: unknown): void => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    kernel.trace('check', `VIOLATION S12 no unhandled error: ${text}`)
    violations.push({ rule: 'S12 no unhandled error', what: text })
  }
  process.on('unhandledRejection', onError)
  process.on('uncaughtException', onError)
  return () => void process.off('unhandledRejection', onError).off('uncaughtException', onError)
}
