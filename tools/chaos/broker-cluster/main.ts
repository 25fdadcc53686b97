/**
 * `npm run chaos:broker-cluster [-- 15]`: kills the one of three RabbitMQ nodes that leads the dispatcher's queue, in the middle of
 * creating, paying and delivering (the argument is orders per second). Fails when a request, order, status change or webhook is
 * lost. While a queue has no leader, orders may be refused for now.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTemporaryBacking, withTemporaryState } from '@gateway-infra/local/temporary-backing'
import { nativeIsImpossible } from '@gateway-infra/offline/backing/rootfs'
import { runCommand } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import type { Receiver } from '@gateway-tools/load/receiver'
import { withFleet, type Fleet } from '../fleet/fleet.ts'
import { reportAccount, underLoad } from '../load/account.ts'
import { startBrokerCluster, type BrokerCluster } from './cluster.ts'

const NODES = 3
const AFTER_KILL_MS = 25_000
const LOOK_EVERY_MS = 10

await runCommand(async (context, [perSecond = '15']) => {
  const impossible = await nativeIsImpossible()
  if (impossible !== undefined) throw new UserError(`A cluster on one machine needs Debian's packages: ${impossible}.`)
  const { paths, progress } = context
  const { cacheDir } = paths
  return withTemporaryBacking(context, ({ mongoUrl, kind }) =>
    // The cluster has a state directory of its own, beside that of the database. Its nodes are native processes in any case.
    withTemporaryState({ stateDir: join(paths.stateDir, 'cluster'), cacheDir }, async (stateDir) => {
      const options = { stateDir, cacheDir, progress, size: NODES }
      const cluster = await progress.during(`starting ${NODES} brokers`, async () => startBrokerCluster(options))
      try {
        const backing = { mongoUrl, amqpUrl: cluster.amqpUrl, kind }
        return await withFleet({ backing, replicas: 1 }, (fleet) => killLeader(fleet, cluster, Number(perSecond)))
      } finally {
        await cluster.stop()
      }
    }),
  )
})

async function killLeader(fleet: Fleet, cluster: BrokerCluster, perSecond: number): Promise<boolean> {
  const ours = (await cluster.queues()).filter(({ members }) => Array.isArray(members))
  const whole = ours.filter(({ members }) => members.length === NODES)
  const leader = ours.find(({ name }) => name.endsWith('webhook-dispatcher.status-changed'))?.leader ?? ''
  const { account, result: longestPauseMs } = await underLoad(fleet, { perSecond, aroundMs: 8000 }, async (receiver) => {
    const ending = new AbortController()
    const watching = longestPause(receiver, ending.signal)
    cluster.kill(leader)
    console.log(`killed ${leader}, which leads the dispatcher's queue`)
    await sleep(AFTER_KILL_MS)
    ending.abort()
    return Math.round(await watching)
  })
  const queues = { queues: ours.length, with_three_members: whole.length }
  const isFlawless = reportAccount(account, { longest_pause_ms: longestPauseMs, ...queues })
  return isFlawless && whole.length === ours.length && ours.length > 0
}

/** The longest time without a new webhook, in milliseconds; at most 10 ms too long. */
async function longestPause(receiver: Receiver, ending: AbortSignal): Promise<number> {
  let [longestMs, lastMs, lastCount] = [0, performance.now(), -1]
  while (!ending.aborted) {
    const { unique } = await receiver.call('counts')
    const nowMs = performance.now()
    if (unique !== lastCount) [lastCount, lastMs] = [unique, nowMs]
    longestMs = Math.max(longestMs, nowMs - lastMs)
    await sleep(LOOK_EVERY_MS)
  }
  return longestMs
}
