/**
 * `npm run bench:due [-- --replicas 1,2,4 --due 10000 --rounds 3]`: replicas of payment-status that share due transactions. Progress goes
 * to stderr, the last line is one JSON object; the exit code is 1 when a due transaction was not handled exactly once.
 */
import { parseArgs } from 'node:util'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand, type Command } from '@gateway-infra/system/command'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { unlessStopped } from '@gateway-infra/system/stopping'
import { describeMachine } from '@gateway-tools/load/machine'
import { explainOptions, wholeNumber } from '@gateway-tools/load/options'
import { openProgram } from '@gateway-tools/load/program'
import { median, rounded, sum } from '@gateway-tools/load/statistics'
import type { ReplicaFunctions } from './replica.ts'
import { runOnce, type Run, type World } from './run.ts'

const MAX_REPLICAS = 16
/** Each replica first handles about so many, uncounted: code that has run only a few times is not compiled yet. */
const WARM_UP_EACH = 1000
const DEFAULTS = { replicas: '1,2,4', due: '10000', rounds: '3' } as const

type Options = ReturnType<typeof readOptions>

function readOptions(args: readonly string[]) {
  const known = Object.entries(DEFAULTS).map(([name, value]) => `--${name} ${value}`)
  return explainOptions(known.join(', '), () => {
    const type = 'string'
    const { values } = parseArgs({ args: [...args], options: { replicas: { type }, due: { type }, rounds: { type } } })
    const { replicas, due, rounds } = { ...DEFAULTS, ...values }
    const counts = replicas.split(',').map((given) => wholeNumber(given, MAX_REPLICAS))
    return { counts, due: wholeNumber(due), rounds: wholeNumber(rounds) }
  })
}

/** The runs of all rounds. Every other round goes the other way, so that a machine that grows busier favours no number of replicas. */
async function measure(world: World, { counts, due, rounds }: Options): Promise<Run[]> {
  const most = Math.max(...counts)
  await runOnce(world, { replicas: most, due: most * WARM_UP_EACH })
  const runs: Run[] = []
  for (let round = 1; round <= rounds; round++) {
    for (const replicas of round % 2 === 1 ? counts : counts.toReversed()) {
      const run = await runOnce(world, { replicas, due })
      console.error(`round ${round}:`, run)
      runs.push(run)
    }
  }
  return runs
}

/** One entry for each number of replicas: medians of rates and times, sums of what is counted. */
function report(runs: readonly Run[]) {
  const replicas = [...Map.groupBy(runs, (run) => run.replicas)].map(([count, own]) => {
    const medianOf = (of: (run: Run) => number) => rounded(median(own.map(of)))
    const sumOf = (of: (run: Run) => number) => sum(own.map(of))
    return {
      replicas: count,
      claims_per_second: medianOf((run) => run.perSecond),
      cpu_ms_per_claim: medianOf((run) => run.cpuMs),
      ...{ replicas_ms_per_claim: medianOf((run) => run.replicasMs), engine_ms_per_claim: medianOf((run) => run.engineMs) },
      collisions: rounded(1 - sumOf((run) => run.won) / sumOf((run) => run.tried)),
      claims_per_look: rounded(sumOf((run) => run.won) / sumOf((run) => run.looks)),
      ...{ lost: sumOf((run) => run.lost), twice: sumOf((run) => run.twice), failed_steps: sumOf((run) => run.failures.length) },
    }
  })
  const cpu = replicas.map((one) => one.cpu_ms_per_claim)
  return {
    replicas,
    cpu_ratio: rounded(Math.max(...cpu) / Math.min(...cpu)),
    collisions: Math.max(...replicas.map((one) => one.collisions)),
    ...{ lost: sum(replicas.map((one) => one.lost)), twice: sum(replicas.map((one) => one.twice)) },
  }
}

/** The processes of the database. Throws when it is no process of this machine: claims without its share would look too cheap. */
function databasePids(stateDir: string): number[] {
  const engines = openProcessBook(stateDir, 'backing').running()
  const pids = engines.filter(({ name }) => name !== 'rabbitmq').map(({ pid }) => pid)
  if (pids.length === 0) throw new Error('the processor time of containers or given servers cannot be read')
  return pids
}

const command: Command = (context, args) => {
  const options = readOptions(args)
  return withTemporaryBacking(context, async ({ mongoUrl, amqpUrl }, stateDir) => {
    const replicas = Array.from({ length: Math.max(...options.counts) }, () =>
      openProgram<ReplicaFunctions>(`${import.meta.dirname}/replica.ts`),
    )
    try {
      const world = { mongoUrl, replicas, databasePids: databasePids(stateDir) }
      const figures = report(await unlessStopped(() => measure(world, options)))
      const { due, rounds } = options
      console.log(JSON.stringify({ ...figures, due, rounds, ...(await describeMachine(mongoUrl, amqpUrl)) }))
      return figures.lost + figures.twice === 0 ? 0 : 1
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()))
    }
  })
}

if (import.meta.main) await runCommand(command)
