/**
 * `npm run chaos:partitions [-- --quick] [-- --seed 1] [-- --per-second 4]`: takes the queues from one partition to four and to two
 * under load, with publishers of both numbers at once. Replicas, the broker and the operator's command are killed (SIGKILL) at moments
 * drawn from the seed. Fails when anything is lost or left on the broker, and when the run proves nothing.
 */
import { parseArgs } from 'node:util'
import { runCommand } from '@gateway-infra/system/command'
import type { Log } from '@gateway-infra/system/progress'
import { unlessStopped } from '@gateway-infra/system/stopping'
import { sum } from '@gateway-tools/load/statistics'
import { unacknowledged, unacknowledgedRefunds } from '@gateway/simulation/check/history'
import { observe, reportViolations } from '../random/observe.ts'
import { withWorld, type World } from '../random/world.ts'
import { changePartitions } from './change.ts'
import { lostOrders, missingInLists } from './losses.ts'
import { listOpenings, listQueues, partitionOf } from './on-broker.ts'

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  'per-second': { type: 'string', default: '4' },
} as const

/** Fewer accepted payments than this prove nothing. */
const MIN_PAYMENTS = 100
/** The number of partitions in the end. */
const LAST = 2

interface RunOptions {
  readonly isQuick: boolean
  readonly seed: number
  readonly perSecond: number
  readonly log: Log
}

await runCommand((context, args) => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const [seed, perSecond] = [Number(values.seed), Number(values['per-second'])]
  const options = { isQuick: values.quick, seed, perSecond, log: context.progress.log }
  return withWorld(context, (world) => unlessStopped(() => run(world, options)))
})

async function run(world: World, options: RunOptions): Promise<0 | 1> {
  const { fleet } = world
  options.log(`seed ${options.seed}; logs: ${fleet.logDir}`)
  const { history, credentials, result: kills } = await observe(options, fleet, () => changePartitions(world, options))
  const lost = lostOrders(history)
  const unlisted = await missingInLists(fleet.base_url, credentials, history.changes)
  const queues = (await listQueues(world)).filter((queue) => partitionOf(queue) >= LAST).map(({ name }) => name)
  const left = [...queues, ...(await listOpenings(world, LAST))]
  const counts = {
    lost: lost.length,
    webhooks_lost: unacknowledged(history).length + unacknowledgedRefunds(history).length,
    left_queues: left.length,
    not_listed: unlisted.length,
    violations: await reportViolations(history, fleet),
  }
  console.log({ kills, lost, unlisted, left })
  const payments = history.operations.filter(({ action, type }) => action.f === 'pay' && type === 'ok').length
  const hasProved = payments >= MIN_PAYMENTS && Object.values(kills).every((count) => count > 0)
  if (!hasProved) console.log(`proves nothing: at least ${MIN_PAYMENTS} payments and one kill of each kind are needed`)
  console.log(JSON.stringify({ payments, killed: sum(Object.values(kills)), ...counts, seed: options.seed }))
  return hasProved && sum(Object.values(counts)) === 0 ? 0 : 1
}
