import { setTimeout as sleep } from 'node:timers/promises'
import { startFleet } from '../fleet/fleet.ts'
import { isFlawless } from '../load/account.ts'
import { underLoad, type Crowd } from '../load/crowd.ts'
import { describeAccount } from '../load/describe.ts'
import type { BrokerCluster } from './cluster.ts'

export interface ClusterRun {
  readonly mongoUrl: string
  readonly isTemporary: boolean
  readonly cluster: BrokerCluster
  readonly perSecond: number
  readonly log: (line: string) => void
}

const AFTER_KILL_MS = 25_000
const MEMBERS = 3

/**
 * Kills the node that leads the dispatcher's queue, in the middle of creating, paying and delivering. Resolves to whether nothing
 * was lost: no request, no order, no status change, no webhook. While a queue has no leader, orders may be refused for now.
 */
export async function killOneNode({ mongoUrl, isTemporary, cluster, perSecond, log }: ClusterRun): Promise<boolean> {
  const fleet = await startFleet({ backing: { mongoUrl, amqpUrl: cluster.amqpUrl, isTemporary }, replicas: 1 })
  let flawless = false
  try {
    const ours = (await cluster.queues()).filter(({ members }) => Array.isArray(members))
    const small = ours.filter(({ members }) => members.length < MEMBERS)
    const leader = ours.find(({ name }) => name.endsWith('webhook-dispatcher.status-changed'))?.leader ?? ''
    log(`${ours.length} quorum queues, ${ours.length - small.length} of them with ${MEMBERS} members`)
    let longestPauseMs = 0
    const account = await underLoad(fleet, { perSecond, aroundMs: 8000 }, async ({ receiver }) => {
      const watched = watchPauses(receiver)
      cluster.kill(leader)
      log(`killed ${leader}, which leads the dispatcher's queue`)
      await sleep(AFTER_KILL_MS)
      longestPauseMs = await watched.longestMs()
    })
    log(describeAccount(account))
    log(`longest pause between two webhooks, from the kill on: ${Math.round(longestPauseMs)} ms`)
    const { failures: _failures, gaps, ...figures } = account
    const queues = { queues: ours.length, with_three_members: ours.length - small.length }
    log(JSON.stringify({ ...figures, gaps: gaps.length, longest_pause_ms: Math.round(longestPauseMs), ...queues }))
    flawless = isFlawless(account) && small.length === 0 && ours.length > 0
    if (!flawless) log(`logs: ${fleet.logDir}`)
    return flawless
  } finally {
    await fleet.stop({ keepLogs: !flawless })
  }
}

const LOOK_EVERY_MS = 10

/** How long no new webhook arrived, by looking often: a hundredth of a second too long at most. */
function watchPauses(receiver: Crowd['receiver']): { longestMs(): Promise<number> } {
  let [longestMs, lastMs, lastCount, watching] = [0, performance.now(), -1, true]
  const looking = (async () => {
    while (watching) {
      const { count } = await receiver.call({ kind: 'count' })
      const nowMs = performance.now()
      if (count !== lastCount) [lastCount, lastMs] = [count, nowMs]
      longestMs = Math.max(longestMs, nowMs - lastMs)
      await sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    async longestMs() {
      watching = false
      await looking
      return longestMs
    },
  }
}
