import { setTimeout as sleep } from 'node:timers/promises'
import type { Receiver } from '@gateway-tools/load/receiver'
import { startFleet } from '../fleet/fleet.ts'
import { describeAccount, isFlawless } from '../load/account.ts'
import { underLoad } from '../load/under-load.ts'
import type { BrokerCluster } from './cluster.ts'

export interface ClusterRun {
  readonly mongoUrl: string
  readonly isTemporary: boolean
  readonly cluster: BrokerCluster
  readonly perSecond: number
}

const AFTER_KILL_MS = 25_000
const MEMBERS = 3

/**
 * Kills the node that leads the dispatcher's queue, in the middle of creating, paying and delivering. Resolves to whether no
 * request, order, status change or webhook was lost. While a queue has no leader, orders may be refused for now.
 */
export async function killOneNode({ mongoUrl, isTemporary, cluster, perSecond }: ClusterRun): Promise<boolean> {
  const fleet = await startFleet({ backing: { mongoUrl, amqpUrl: cluster.amqpUrl, isTemporary }, replicas: 1 })
  let flawless = false
  try {
    const ours = (await cluster.queues()).filter(({ members }) => Array.isArray(members))
    const small = ours.filter(({ members }) => members.length < MEMBERS)
    const leader = ours.find(({ name }) => name.endsWith('webhook-dispatcher.status-changed'))?.leader ?? ''
    console.log(`${ours.length} quorum queues, ${ours.length - small.length} of them with ${MEMBERS} members`)
    let longestPauseMs = 0
    const account = await underLoad(fleet, { perSecond, aroundMs: 8000 }, async (receiver) => {
      const watched = watchPauses(receiver)
      cluster.kill(leader)
      console.log(`killed ${leader}, which leads the dispatcher's queue`)
      await sleep(AFTER_KILL_MS)
      longestPauseMs = await watched.longestMs()
    })
    console.log(describeAccount(account))
    console.log(`longest pause between two webhooks, from the kill on: ${Math.round(longestPauseMs)} ms`)
    const { failures: _failures, gaps, ...figures } = account
    const queues = { queues: ours.length, with_three_members: ours.length - small.length }
    console.log(JSON.stringify({ ...figures, gaps: gaps.length, longest_pause_ms: Math.round(longestPauseMs), ...queues }))
    flawless = isFlawless(account) && small.length === 0 && ours.length > 0
    if (!flawless) console.log(`logs: ${fleet.logDir}`)
    return flawless
  } finally {
    await fleet.stop({ keepLogs: !flawless })
  }
}

const LOOK_EVERY_MS = 10

/** The longest time without a new webhook; at most 10 ms too long. */
function watchPauses(receiver: Receiver): { longestMs(): Promise<number> } {
  let [longestMs, lastMs, lastCount, watching] = [0, performance.now(), -1, true]
  const looking = (async () => {
    while (watching) {
      const { unique } = await receiver.counts()
      const nowMs = performance.now()
      if (unique !== lastCount) [lastCount, lastMs] = [unique, nowMs]
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
